import { isJsonObject, type JsonObject } from '../../../lib/json/json-object.ts';
import { type ByteWindow, tryFill } from './byte-window.ts';
import { OPEN_OBJECT, skipSpaces } from './bytes.ts';
import type { Small } from './read-small.ts';
import { readValue } from './read-value.ts';
import { MAX_MEMBER_BYTES } from './root-members.ts';
import { type Scan, scanValue, startScan } from './scan-value.ts';

/** Returns whether a JSON value is a list of records. */
const isList = (value: unknown): boolean => Array.isArray(value) && isJsonObject(value[0]);

/**
 * Returns whether a JSON object consists of lists of records, as `json_build_object` of PostgreSQL writes the
 * tables of a database. A table without rows is an empty list or null.
 */
export function consistsOfLists(object: JsonObject): boolean {
  const values = Object.values(object).filter((value) => value !== null);
  return (
    values.some(isList) &&
    values.every((value) => Array.isArray(value) && (value.length === 0 || isList(value)))
  );
}

/** Returns whether a JSON document has a list of records, or an object that consists of such lists. */
export const holdsLists = (document: JsonObject): boolean =>
  Object.values(document).some((value) => isList(value) || (isJsonObject(value) && consistsOfLists(value)));

/** Returns whether the JSON array at `window.at` is a list of records. Consumes nothing. */
export async function opensList(window: ByteWindow): Promise<boolean> {
  let at = 1;
  while (true) {
    at = skipSpaces(window.bytes, window.at + at, window.end) - window.at;
    if (window.at + at < window.end) return window.bytes[window.at + at] === OPEN_OBJECT;
    if (at > MAX_MEMBER_BYTES || !(await tryFill(window))) return false;
  }
}

/**
 * Returns whether the JSON object at `window.at` consists of lists of records. An object that is too large to
 * be examined as a whole is judged by its first member that is not empty. Consumes nothing.
 */
export async function opensLists(window: ByteWindow, scan: Scan): Promise<boolean> {
  const { value } = await peekSmall(window, scan);
  if (value !== undefined) return isJsonObject(value) && consistsOfLists(value);
  return BEGINS_WITH_LIST.test(
    window.bytes.toString('latin1', window.at, Math.min(window.end, window.at + HEAD_BYTES)),
  );
}

const HEAD_BYTES = 4096;
/** Matches the start of a JSON object whose first member that is not empty is a list of records. */
const BEGINS_WITH_LIST =
  /^\{(?:\s{0,99}"(?:[^"\\]|\\.){0,200}"\s{0,99}:\s{0,99}(?:null|\[\s{0,99}\])\s{0,99},){0,99}\s{0,99}"(?:[^"\\]|\\.){0,200}"\s{0,99}:\s{0,99}\[\s{0,99}\{/s;

/**
 * Reads the JSON value at `window.at` without consuming it. The value is undefined if it is too large, not
 * valid, or has no end.
 */
export async function peekSmall(window: ByteWindow, scan: Scan): Promise<Small> {
  startScan(scan);
  let sizeBytes = 0;
  while (true) {
    const stop = scanValue(scan, window.bytes, window.at + sizeBytes, window.end);
    sizeBytes = stop - window.at;
    if (scan.isBroken || sizeBytes > MAX_MEMBER_BYTES) return { value: undefined, sizeBytes };
    if (scan.isDone)
      return { value: readValue(window.bytes.toString('utf8', window.at, stop), scan.marks), sizeBytes };
    if (!(await tryFill(window))) return { value: undefined, sizeBytes };
  }
}
