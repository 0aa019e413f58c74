import type { JsonFile, RecordBatch } from '../table.ts';
import { type ByteWindow, offsetOf, peek, peekOn } from './byte-window.ts';
import { CLOSE_ARRAY, CLOSE_OBJECT, COLON, COMMA, OPEN_ARRAY, OPEN_OBJECT, QUOTE } from './bytes.ts';
import { isUserItself } from './first-document.ts';
import type { JsonPaths } from './json-paths.ts';
import { invalidAt, sameListAgain, truncated } from './json-problems.ts';
import type { JsonTables } from './json-tables.ts';
import { holdsListOfUsers, opensList } from './lists.ts';
import { readElements } from './read-elements.ts';
import { peekSmall, readSmall, type Small } from './read-small.ts';
import { MAX_MEMBER_BYTES, type RootMembers } from './root-members.ts';
import type { Scan } from './scan-value.ts';

/** State of reading a JSON document from its outermost object or array inwards. */
export interface Walk {
  readonly window: ByteWindow;
  readonly tables: JsonTables;
  readonly root: RootMembers;
  readonly paths: JsonPaths;
  readonly scan: Scan;
  /** Facts about the current JSON document: its lists, and whether it is a user itself. */
  readonly page: { hasTable: boolean; isUser: boolean; lists: Set<string> };
  /** Facts about the file. They are complete when the file has been read to its end. */
  readonly file: JsonFile;
}

/** The JSON object or array whose members are being read. */
interface Holder {
  readonly path: string;
  readonly isObject: boolean;
  readonly beganAt: number;
  /** Value of the JSON object's member `name`. It is empty until that member was read. */
  name: string;
}

/**
 * Reads the tables inside a JSON object or array. Descends only along `paths`, so the recursion is bounded by
 * the longest path.
 * @param walk the part of the file in memory must be at the opening bracket of the object or array
 * @param path of the object or array; empty for the document itself
 */
export async function* readWithin(walk: Walk, path: string): AsyncGenerator<RecordBatch> {
  const { window } = walk;
  const isObject = window.bytes[window.at] === OPEN_OBJECT;
  const close = isObject ? CLOSE_OBJECT : CLOSE_ARRAY;
  const holder: Holder = { path, isObject, beganAt: offsetOf(window), name: '' };
  window.at += 1;
  for (let index = 0; (peek(window) ?? (await find(window, holder))) !== close; index += 1) {
    const key = isObject ? await readKey(walk, holder) : String(index);
    const opening = peek(window) ?? (await find(window, holder));
    const valuePath = path === '' ? key : `${path}.${key}`;
    const place = opensValue(opening) ? walk.paths.placeOf(valuePath, opening) : 'other';
    if (place === 'table') {
      walk.page.hasTable = true;
      yield* readTable(walk, walk.paths.tableName(valuePath, holder.name), false);
    } else if (place === 'inside') {
      walk.file.isDatabase = false;
      yield* readWithin(walk, valuePath);
    } else if (
      path === '' &&
      isObject &&
      key !== '' &&
      mayFindTables(walk) &&
      (await isList(window, opening))
    ) {
      keepMember(walk, holder, key, await peekSmall(window, walk.scan, MAX_MEMBER_BYTES));
      yield* readTable(walk, key, true);
    } else {
      await readMember(walk, holder, key);
    }
    const separator = peek(window) ?? (await find(window, holder));
    if (separator === COMMA) window.at += 1;
    else if (separator !== close)
      throw invalidAt(offsetOf(window), 'a comma or the end of the object or array');
  }
  window.at += 1;
}

/** Reads a list of records. @param isFound whether the list is at no known path */
function readTable(walk: Walk, name: string, isFound: boolean): AsyncGenerator<RecordBatch> {
  const { window, tables, page, paths, file } = walk;
  if (paths.findsTables && page.lists.has(name)) throw sameListAgain(offsetOf(window));
  page.lists.add(name);
  window.at += 1;
  return readElements(window, tables.table(name, { file, isFound }));
}

const mayFindTables = ({ paths, file }: Walk) => paths.findsTables && file.isDatabase;

/** Returns whether the JSON value at `window.at` is a list of records. Consumes nothing. */
const isList = async (window: ByteWindow, opening: number): Promise<boolean> =>
  opening === OPEN_ARRAY && (await opensList(window));

const opensValue = (byte: number) => byte === OPEN_ARRAY || byte === OPEN_OBJECT;

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

/** Reads or skips a JSON value that holds no table. */
async function readMember(walk: Walk, holder: Holder, key: string): Promise<void> {
  const { window, scan, paths, file } = walk;
  const opening = window.bytes[window.at] ?? 0;
  const isNested = opensValue(opening);
  if (paths.findsTables && isNested && file.hidden === undefined && (await holdsListOfUsers(window, scan)))
    file.hidden = [
      ...(holder.path === '' ? [] : [holder.path]),
      key,
      ...(opening === OPEN_ARRAY ? [] : ['LIST']),
    ].join('.');
  const small = await readSmall(window, scan, MAX_MEMBER_BYTES);
  if (holder.path === '' && holder.isObject) noteMember(file, key, small.value, isNested);
  keepMember(walk, holder, key, small);
}

/** Notes whether the file may still be of a database after this member, which is no list of records. */
function noteMember(file: JsonFile, key: string, value: unknown, isNested: boolean): void {
  const isEmpty = value === null || (Array.isArray(value) && value.length === 0);
  if (isEmpty && file.empty.length < MAX_EMPTY) file.empty.push(key);
  else if (isNested ? !isEmpty : isUserItself({ [key]: value })) file.isDatabase = false;
}

/** Maximum number of tables without rows to note. */
const MAX_EMPTY = 1000;

/** Keeps a small member of a JSON object, which may describe the export. */
function keepMember({ root, paths, page }: Walk, holder: Holder, key: string, small: Small): void {
  const { value, sizeBytes } = small;
  if (!holder.isObject) return;
  if (holder.path === '') page.isUser ||= isUserItself({ [key]: value });
  if (paths.keepsRoot) root.keep(key, value, sizeBytes);
  if (key === 'name' && typeof value === 'string') holder.name = value;
}
