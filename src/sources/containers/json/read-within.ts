import type { RecordBatch } from '../table.ts';
import { type ByteWindow, offsetOf, peek, peekOn } from './byte-window.ts';
import { CLOSE_ARRAY, CLOSE_OBJECT, COLON, COMMA, OPEN_ARRAY, OPEN_OBJECT, QUOTE } from './bytes.ts';
import { isUserItself, looksLikeUser } from './first-document.ts';
import type { JsonPaths } from './json-paths.ts';
import { invalidAt, mixedObject, sameListAgain, truncated } from './json-problems.ts';
import type { JsonTables } from './json-tables.ts';
import { opensList, opensLists, peekSmall } from './lists.ts';
import { readElements } from './read-elements.ts';
import { readSmall, type Small } from './read-small.ts';
import { MAX_MEMBER_BYTES, type RootMembers } from './root-members.ts';
import type { Scan } from './scan-value.ts';

/** State of reading a JSON document from its outermost object or array inwards. */
export interface Walk {
  readonly window: ByteWindow;
  readonly tables: JsonTables;
  readonly root: RootMembers;
  readonly paths: JsonPaths;
  readonly scan: Scan;
  /** Facts about the current JSON document: its tables, and whether it is a user itself. */
  readonly page: { hasTable: boolean; isUser: boolean; tables: Set<string> };
}

/** The place of a JSON object or array in the document, and how its members are read. */
interface Place {
  readonly path: string;
  /**
   * Whether every list of records in this JSON object is a table, and not only the lists at known paths. True
   * for the document itself, and for an object in it that consists of lists: `{"auth":{"users":[…]}}`.
   */
  readonly holdsTables: boolean;
  /** Whether no known path leads here. The other members of the object do not describe the export, then. */
  readonly isUnknown: boolean;
}

/** The JSON object or array whose members are being read. */
interface Holder extends Place {
  readonly isObject: boolean;
  readonly beganAt: number;
  /** Value of the JSON object's member `name`. It is empty until that member was read. */
  name: string;
  /** Whether a member was read that only users have, so that the lists after it belong to a user. */
  isUser: boolean;
}

/** Reads the tables inside a JSON document, which begins at `window.at`. */
export const readDocument = (walk: Walk): AsyncGenerator<RecordBatch> =>
  readWithin(walk, { path: '', holdsTables: walk.paths.findsTables, isUnknown: false });

/**
 * Reads the tables inside a JSON object or array. Descends only along `paths`, and from the document into
 * objects that consist of lists, so the recursion is bounded by the longest path.
 * @param walk the part of the file in memory must be at the opening bracket of the object or array
 */
async function* readWithin(walk: Walk, place: Place): AsyncGenerator<RecordBatch> {
  const { window } = walk;
  const isObject = window.bytes[window.at] === OPEN_OBJECT;
  const close = isObject ? CLOSE_OBJECT : CLOSE_ARRAY;
  const holder: Holder = { ...place, isObject, beganAt: offsetOf(window), name: '', isUser: false };
  window.at += 1;
  for (let index = 0; (peek(window) ?? (await find(window, holder))) !== close; index += 1) {
    const key = isObject ? await readKey(walk, holder) : String(index);
    const opening = peek(window) ?? (await find(window, holder));
    if (opensValue(opening)) yield* readNested(walk, holder, key, opening);
    else await readMember(walk, holder, key);
    const separator = peek(window) ?? (await find(window, holder));
    if (separator === COMMA) window.at += 1;
    else if (separator !== close)
      throw invalidAt(offsetOf(window), 'a comma or the end of the object or array');
  }
  window.at += 1;
}

/** Reads an object or array that is a member of another one: as tables, if it is or holds any. */
async function* readNested(
  walk: Walk,
  holder: Holder,
  key: string,
  opening: number,
): AsyncGenerator<RecordBatch> {
  const { window, paths, page, scan } = walk;
  const path = holder.path === '' ? key : `${holder.path}.${key}`;
  const known = paths.placeOf(path, opening);
  if (known === 'table') {
    page.hasTable = true;
    yield* readTable(walk, paths.tableName(path, holder.name));
  } else if (known === 'inside') {
    const holdsTables = paths.findsTables && opening === OPEN_OBJECT && (await opensLists(window, scan));
    yield* readWithin(walk, { path, holdsTables, isUnknown: false });
  } else if (!holder.holdsTables || holder.isUser || key === '') {
    await readMember(walk, holder, key);
  } else if (opening === OPEN_ARRAY && (await opensList(window))) {
    keepMember(walk, holder, key, await peekSmall(window, scan));
    yield* readTable(walk, path);
  } else if (opening === OPEN_OBJECT && holder.path === '' && (await opensLists(window, scan))) {
    keepMember(walk, holder, key, await peekSmall(window, scan));
    yield* readWithin(walk, { path, holdsTables: true, isUnknown: true });
  } else {
    await readMember(walk, holder, key);
  }
}

function readTable({ window, tables, page, paths }: Walk, name: string): AsyncGenerator<RecordBatch> {
  if (paths.findsTables && page.tables.has(name)) throw sameListAgain(offsetOf(window));
  page.tables.add(name);
  window.at += 1;
  return readElements(window, tables.table(name));
}

const opensValue = (byte: number | undefined) => byte === OPEN_ARRAY || byte === OPEN_OBJECT;

/**
 * Returns the next byte of the JSON object or array that is not a space, and reads more of the file if
 * necessary.
 */
async function find(window: ByteWindow, { isObject, beganAt }: Holder): Promise<number> {
  const byte = await peekOn(window);
  if (byte === undefined) throw truncated(isObject ? 'an object' : 'an array', beganAt);
  return byte;
}

/**
 * Reads the name of a JSON member, and the colon. @returns an empty text if the name is too long, or invalid
 */
async function readKey({ window, scan }: Walk, holder: Holder): Promise<string> {
  if (window.bytes[window.at] !== QUOTE) throw invalidAt(offsetOf(window), 'the name of a member');
  const { value } = await readSmall(window, scan, MAX_MEMBER_BYTES);
  const byte = peek(window) ?? (await find(window, holder));
  if (byte !== COLON) throw invalidAt(offsetOf(window), 'a colon');
  window.at += 1;
  return typeof value === 'string' ? value : '';
}

/** Reads or skips a JSON value that holds no tables. */
async function readMember(walk: Walk, holder: Holder, key: string): Promise<void> {
  const { window, scan } = walk;
  const offset = offsetOf(window);
  const isNested = opensValue(window.bytes[window.at]);
  const small = await readSmall(window, scan, MAX_MEMBER_BYTES);
  if (holder.isUnknown && !isNested && small.value !== null) throw mixedObject(holder.beganAt, offset);
  holder.isUser ||= holder.isObject && !isNested && looksLikeUser({ [key]: small.value });
  keepMember(walk, holder, key, small);
}

/** Keeps a small member of a JSON object, which may describe the export. */
function keepMember({ root, paths, page }: Walk, holder: Holder, key: string, small: Small): void {
  const { value, sizeBytes } = small;
  if (!holder.isObject) return;
  if (holder.path === '') page.isUser ||= isUserItself({ [key]: value });
  if (paths.keepsRoot && !holder.isUnknown) root.keep(key, value, sizeBytes);
  if (key === 'name' && typeof value === 'string') holder.name = value;
}
