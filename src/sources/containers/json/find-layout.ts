import { isJsonObject, type JsonObject } from '../../../imports/input/json-object.ts';
import { FileProblem, type ReadOptions } from '../table.ts';
import { type ByteWindow, offsetOf, peekOn, tryFill } from './byte-window.ts';
import { NEWLINE, OPEN_ARRAY, OPEN_OBJECT, skipSpaces } from './bytes.ts';
import { holdsTables, linesFollow, looksLikeUser } from './first-document.ts';
import { type JsonPaths, KNOWN_PATHS, PHPMYADMIN_HEAD, PHPMYADMIN_PATHS, pathsTo } from './json-paths.ts';
import { readValue } from './read-value.ts';
import { createScan, scanValue } from './scan-value.ts';

/** How the records of a file stand in it. */
export type Layout =
  /** As the elements of arrays. */
  | { kind: 'array' }
  /** One a line. `only`: there is just this one, and it may be no user but something that lacks them. */
  | { kind: 'lines'; only?: JsonObject }
  /** Following each other, of several lines each. */
  | { kind: 'documents' }
  /** In arrays within other values. */
  | { kind: 'within'; paths: JsonPaths };

/** The first document decides: a longer one is no record but holds some. It is kept in memory until then. */
const MAX_FIRST_BYTES = 4 * 1024 * 1024;
/** Enough for the beginning of what phpMyAdmin writes. */
const HEAD_BYTES = 512;
/** Of spaces after the first document: after so many nothing more is expected. */
const MAX_GAP_BYTES = 64 * 1024;

/**
 * Finds out how a file is laid out, and takes nothing of it but spaces.
 * @throws FileProblem where no JSON begins
 */
export async function findLayout(window: ByteWindow, { jsonPath }: ReadOptions): Promise<Layout> {
  const byte = await peekOn(window);
  if (byte === undefined) throw new FileProblem('FILE_UNKNOWN', 'There is nothing in the file.');
  if (byte !== OPEN_ARRAY && byte !== OPEN_OBJECT) {
    throw new FileProblem('FILE_UNKNOWN', `No JSON object or array begins at byte ${offsetOf(window)}.`);
  }
  if (jsonPath !== undefined && jsonPath !== '') return { kind: 'within', paths: pathsTo([jsonPath]) };
  if (byte === OPEN_OBJECT) return layoutOfDocuments(window);
  while (window.end - window.at < HEAD_BYTES && (await tryFill(window))) {}
  const head = window.bytes.toString('latin1', window.at, Math.min(window.end, window.at + HEAD_BYTES));
  return PHPMYADMIN_HEAD.test(head) ? { kind: 'within', paths: PHPMYADMIN_PATHS } : { kind: 'array' };
}

/** Sees the first document as a whole, and what follows it. */
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
  if (looksLikeUser(document)) return { kind: isLine ? 'lines' : 'documents' };
  return isLine ? { kind: 'lines', only: document } : WITHIN;
}

const WITHIN: Layout = { kind: 'within', paths: KNOWN_PATHS };

/** What comes after the first document: one on another line, one on the same line, or nothing. */
async function whatFollows(window: ByteWindow, size: number): Promise<'line' | 'document' | 'nothing'> {
  let next = size;
  do {
    next = skipSpaces(window.bytes, window.at + next, window.end) - window.at;
  } while (window.at + next === window.end && next < size + MAX_GAP_BYTES && (await tryFill(window)));
  if (window.at + next === window.end) return 'nothing';
  const gap = window.bytes.subarray(window.at + size, window.at + next);
  return gap.includes(NEWLINE) ? 'line' : 'document';
}
