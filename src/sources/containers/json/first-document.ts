import { isJsonObject, type JsonObject } from '../../../lib/json/json-object.ts';
import { NEWLINE, OPEN_OBJECT, skipSpaces } from './bytes.ts';
import { SHARED_PATHS, SURE_PATHS, valueAt } from './json-paths.ts';
import { isDocument } from './looks-like-json.ts';

/** Names of JSON members that users have, and that other objects in exports of users do not have. */
const USER_MEMBERS =
  /^(?:e-?mails?|e-?mail_?address(?:es)?|mail|user_?(?:id|name|email|login)|uid|_id|localid|loginids|traits)$/i;

export const looksLikeUser = (document: JsonObject): boolean =>
  Object.keys(document).some((key) => USER_MEMBERS.test(key));

/** Members of a user must not be interpreted: a user may choose any JSON, even a list of users. */
export const isUserItself = (document: JsonObject): boolean =>
  looksLikeUser(document) ||
  Object.values(document).some((value) => typeof value === 'string' && ADDRESS.test(value));

const ADDRESS = /^[^\s@]+@[^\s@]+$/;

/** A user may have members such as `identities` and `data`, so they do not show that the object is an envelope. */
export function holdsTables(document: JsonObject): boolean {
  if (isUserItself(document)) return false;
  if (SURE_PATHS.some((path) => Array.isArray(valueAt(document, path)))) return true;
  return SHARED_PATHS.some((path) => holdsObjects(valueAt(document, path)));
}

const holdsObjects = (value: unknown) =>
  Array.isArray(value) && (value.length === 0 || value.some(isJsonObject));

const MAX_LINES = 20;
const MAX_LINE_BYTES = 64 * 1024;

/**
 * Returns whether the file has a JSON document per line, although its first line is none. In a pretty-printed
 * document, objects on lines of their own follow only an opening bracket, comma or colon, so these are
 * ignored.
 */
export function linesFollow(bytes: Buffer): boolean {
  let start = bytes.indexOf(NEWLINE);
  if (start < 0 || isLeftOpen(bytes, start)) return false;
  for (let lines = 0; lines < MAX_LINES && start < bytes.length; lines += 1) {
    const newline = bytes.indexOf(NEWLINE, start + 1);
    const stop = newline < 0 ? bytes.length : newline;
    if (bytes[start + 1] === OPEN_OBJECT && stop - start < MAX_LINE_BYTES) {
      if (isDocument(bytes.toString('utf8', start + 1, stop))) return true;
    }
    start = stop;
  }
  return false;
}

/** After an open bracket, a comma or a colon in JSON, a value must follow. */
function isLeftOpen(bytes: Buffer, stop: number): boolean {
  let last = stop - 1;
  while (last > 0 && skipSpaces(bytes, last, last + 1) > last) last -= 1;
  return '{[,:'.includes(String.fromCharCode(bytes[last] ?? 0));
}
