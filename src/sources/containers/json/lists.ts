import { isJsonObject, type JsonObject } from '../../../lib/json/json-object.ts';
import { type ByteWindow, tryFill } from './byte-window.ts';
import { OPEN_OBJECT, skipSpaces } from './bytes.ts';
import { peekSmall } from './read-small.ts';
import { MAX_MEMBER_BYTES } from './root-members.ts';
import type { Scan } from './scan-value.ts';

/** In JSON, null or an empty list may be a table without rows. */
const isList = (value: unknown): boolean =>
  value === null || (Array.isArray(value) && (value.length === 0 || isJsonObject(value[0])));

/**
 * Returns whether a JSON document holds a list of records for each table of a database, as PostgreSQL's
 * `json_build_object` writes it. It may not hold objects, because these may be users by their ids.
 */
export function isDatabase(document: JsonObject): boolean {
  const values = Object.values(document);
  return (
    values.some((value) => Array.isArray(value) && isJsonObject(value[0])) &&
    values.every((value) => typeof value !== 'object' || isList(value))
  );
}

export const consistsOfLists = (document: JsonObject): boolean =>
  isDatabase(document) && Object.values(document).every(isList);

/** Returns whether a list of records begins at `window.at` in the JSON file. Consumes nothing. */
export async function opensList(window: ByteWindow): Promise<boolean> {
  let at = 1;
  while (true) {
    at = skipSpaces(window.bytes, window.at + at, window.end) - window.at;
    if (window.at + at < window.end) return window.bytes[window.at + at] === OPEN_OBJECT;
    if (at > MAX_MEMBER_BYTES || !(await tryFill(window))) return false;
  }
}

/** Members of the first record of a JSON list, up to the first one that is nested. */
const FIRST_RECORD = /\[\s{0,99}\{([^{}[\]]{1,4096})/g;
const ADDRESS_MEMBER = /"[^"]{0,40}mail[^"]{0,40}"\s*:/i;
const HASH_MEMBER = /"[^"]{0,40}(?:pass|hash)[^"]{0,40}"\s*:\s*"/i;

/** Returns whether a list inside the JSON value begins with an address and a hash. Consumes nothing. */
export async function holdsListOfUsers(window: ByteWindow, scan: Scan): Promise<boolean> {
  const { sizeBytes } = await peekSmall(window, scan, MAX_MEMBER_BYTES);
  const text = window.bytes.toString('utf8', window.at, window.at + Math.min(sizeBytes, MAX_MEMBER_BYTES));
  for (const [, members = ''] of text.matchAll(FIRST_RECORD))
    if (ADDRESS_MEMBER.test(members) && HASH_MEMBER.test(members)) return true;
  return false;
}
