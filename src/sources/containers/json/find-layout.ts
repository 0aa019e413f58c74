import { isJsonObject, type JsonObject } from '../../../lib/json/json-object.ts';
import { FileProblem, type ReadOptions } from '../table.ts';
import { type ByteWindow, offsetOf, peekOn, tryFill } from './byte-window.ts';
import { NEWLINE, OPEN_ARRAY, OPEN_OBJECT, skipSpaces } from './bytes.ts';
import { holdsTables, isUserItself, linesFollow, looksLikeUser } from './first-document.ts';
import { type JsonPaths, KNOWN_PATHS, PHPMYADMIN_HEAD, PHPMYADMIN_PATHS, pathsTo } from './json-paths.ts';
import { consistsOfLists, isDatabase } from './lists.ts';
import { readValue } from './read-value.ts';
import { createScan, scanValue } from './scan-value.ts';

/** How the records of users are arranged in a JSON file. */
export type Layout =
  /** Records are the elements of arrays at the root of the JSON file. */
  | { kind: 'array' }
  /** Each line is a JSON document. `only`: the single document of the file, if it is unlike a user. */
  | { kind: 'lines'; only?: JsonObject }
  /** Records are consecutive JSON documents, which may span several lines. */
  | { kind: 'documents' }
  /** Records are the elements of arrays inside other JSON values. */
  | { kind: 'within'; paths: JsonPaths };

/** The first document is kept in memory. A larger JSON document contains users rather than being a user. */
const MAX_FIRST_BYTES = 4 * 1024 * 1024;
/** Number of bytes that suffice to recognise the JSON of phpMyAdmin. */
const HEAD_BYTES = 512;
/** After more spaces, the JSON file is assumed to have no other document. */
const MAX_GAP_BYTES = 64 * 1024;

/**
 * Consumes nothing but spaces.
 * @throws FileProblem if the file does not start with JSON
 */
export async function findLayout(window: ByteWindow, { jsonPath }: ReadOptions): Promise<Layout> {
  const byte = await peekOn(window);
  if (byte === undefined) throw new FileProblem('FILE_UNKNOWN', 'The file is empty. Export it again.');
  if (byte !== OPEN_ARRAY && byte !== OPEN_OBJECT) {
    throw new FileProblem(
      'FILE_UNKNOWN',
      `No JSON object or array begins at byte ${offsetOf(window)}. If the file is of another kind, name it with --format; if not, remove the text there.`,
    );
  }
  if (jsonPath !== undefined && jsonPath !== '') return { kind: 'within', paths: pathsTo([jsonPath]) };
  if (byte === OPEN_OBJECT) return layoutOfDocuments(window);
  while (window.end - window.at < HEAD_BYTES && (await tryFill(window))) {}
  const head = window.bytes.toString('latin1', window.at, Math.min(window.end, window.at + HEAD_BYTES));
  return PHPMYADMIN_HEAD.test(head) ? { kind: 'within', paths: PHPMYADMIN_PATHS } : { kind: 'array' };
}

async function layoutOfDocuments(window: ByteWindow): Promise<Layout> {
  const scan = createScan();
  let size = 0;
  do {
    size = scanValue(scan, window.bytes, window.at + size, window.end) - window.at;
  } while (!scan.isDone && !scan.isBroken && size < MAX_FIRST_BYTES && (await tryFill(window)));
  const follows = scan.isDone ? await whatFollows(window, size) : undefined;
  const bytes = window.bytes.subarray(window.at, window.end);
  const isLine = follows !== 'document' && !bytes.subarray(0, size).includes(NEWLINE);
  const document = scan.isDone ? readValue(bytes.toString('utf8', 0, size), scan.marks) : undefined;
  if (!isJsonObject(document)) {
    if (follows === 'line' && isLine) return { kind: 'lines' };
    if (linesFollow(bytes)) return { kind: 'lines' };
    return follows === undefined || follows === 'nothing' ? WITHIN : { kind: 'documents' };
  }
  if (holdsTables(document)) return WITHIN;
  if (follows !== 'nothing') return { kind: isLine ? 'lines' : 'documents' };
  if (consistsOfLists(document)) return WITHIN;
  if (looksLikeUser(document)) return { kind: isLine ? 'lines' : 'documents' };
  const isUser = isUserItself(document);
  if (!isUser && isDatabase(document)) return WITHIN;
  if (isLine) return { kind: 'lines', only: document };
  if (!isUser) return WITHIN;
  // A member with an address is that of a user, or of whoever made the export.
  const lists = LISTS_OF_USERS.filter((name) => Array.isArray(document[name]));
  return lists.length === 0 ? { kind: 'documents' } : { kind: 'within', paths: pathsTo(lists) };
}

/** Names of lists that users do not have as members of their own. */
const LISTS_OF_USERS = ['users', 'Users', 'results'];

const WITHIN: Layout = { kind: 'within', paths: KNOWN_PATHS };

async function whatFollows(window: ByteWindow, size: number): Promise<'line' | 'document' | 'nothing'> {
  let next = size;
  do {
    next = skipSpaces(window.bytes, window.at + next, window.end) - window.at;
  } while (window.at + next === window.end && next < size + MAX_GAP_BYTES && (await tryFill(window)));
  if (window.at + next === window.end) return 'nothing';
  const gap = window.bytes.subarray(window.at + size, window.at + next);
  return gap.includes(NEWLINE) ? 'line' : 'document';
}
