import { isJsonObject, type JsonObject } from '../../../lib/json/json-object.ts';
import { NEWLINE, OPEN_OBJECT, skipSpaces } from './bytes.ts';
import { SHARED_PATHS, SURE_PATHS, valueAt } from './json-paths.ts';
import { isDocument } from './looks-like-json.ts';

/** Matches names of JSON members that users have, and that other objects in exports of users do not have. */
const USER_MEMBERS =
  /^(?:e-?mails?|e-?mail_?address(?:es)?|mail|user_?(?:id|name|email|login)|uid|_id|localid|loginids|traits)$/i;

export const looksLikeUser = (document: JsonObject): boolean =>
  Object.keys(document).some((key) => USER_MEMBERS.test(key));

/**
 * Returns whether the JSON document is a user. The values of a user's members must not be interpreted: they
 * may contain any JSON that the user has chosen, even a list of users.
 */
export const isUserItself = (document: JsonObject): boolean =>
  looksLikeUser(document) ||
  Object.values(document).some((value) => typeof value === 'string' && ADDRESS.test(value));

const ADDRESS = /^[^\s@]+@[^\s@]+$/;

/**
 * Returns whether the JSON document contains arrays of users, rather than being a user itself. Users may also
 * have members such as `identities` and `data`.
 */
export function holdsTables(document: JsonObject): boolean {
  if (isUserItself(document)) return false;
  if (SURE_PATHS.some((path) => Array.isArray(valueAt(document, path)))) return true;
  return SHARED_PATHS.some((path) => holdsObjects(valueAt(document, path)));
}

const holdsObjects = (value: unknown) =>
  Array.isArray(value) && (value.length === 0 || value.some(isJsonObject));

/** Maximum number of lines of a file that are searched for a JSON document on a line of its own. */
const MAX_LINES = 20;
const MAX_LINE_BYTES = 64 * 1024;

/**
 * Returns whether the file has one JSON document per line, although its first line is not a document. In a
 * pretty-printed document, objects on a line of their own occur only after an opening bracket, comma or
 * colon, and are therefore ignored.
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

/**
 * Returns whether the JSON text before `stop` ends with an open bracket, a comma or a colon, so that a value
 * must follow.
 */
function isLeftOpen(bytes: Buffer, stop: number): boolean {
  let last = stop - 1;
  while (last > 0 && skipSpaces(bytes, last, last + 1) > last) last -= 1;
  return '{[,:'.includes(String.fromCharCode(bytes[last] ?? 0));
}
