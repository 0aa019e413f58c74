import type { JsonFile, RecordBatch } from '../table.ts';
import { type ByteWindow, offsetOf, peek, peekOn } from './byte-window.ts';
import {
  CLOSE_ARRAY,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  OPEN_ARRAY,
  OPEN_OBJECT,
  opensValue,
  QUOTE,
} from './bytes.ts';
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
  readonly page: { hasTable: boolean; isUser: boolean; lists: Set<string> };
  /** Complete when the JSON file has been read to its end. */
  readonly file: JsonFile;
}

/** The JSON object or array whose members are being read. */
interface Holder {
  readonly path: string;
  readonly isObject: boolean;
  readonly beganAt: number;
  /** Value of the JSON object's member `name`, or empty until that member was read. */
  name: string;
}

/**
 * Reads the tables inside a JSON object or array, from its opening bracket. Descends only along `paths`, so
 * the recursion is bounded by the longest path.
 * @param path empty for the document itself
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

/** Reads a list of a JSON file. With `isFound`, it is at a path that no known system has. */
function readTable(walk: Walk, name: string, isFound: boolean): AsyncGenerator<RecordBatch> {
  const { window, tables, page, paths, file } = walk;
  if (paths.findsTables && page.lists.has(name)) throw sameListAgain(offsetOf(window));
  page.lists.add(name);
  window.at += 1;
  return readElements(window, tables.table(name, { file, isFound }));
}

const mayFindTables = ({ paths, file }: Walk) => paths.findsTables && file.isDatabase;

const isList = async (window: ByteWindow, opening: number): Promise<boolean> =>
  opening === OPEN_ARRAY && (await opensList(window));

async function find(window: ByteWindow, { isObject, beganAt }: Holder): Promise<number> {
  const byte = await peekOn(window);
  if (byte === undefined) throw truncated(isObject ? 'an object' : 'an array', beganAt);
  return byte;
}

/** Returns an empty text if the name of the JSON member is too long or invalid. */
async function readKey({ window, scan }: Walk, holder: Holder): Promise<string> {
  if (window.bytes[window.at] !== QUOTE) throw invalidAt(offsetOf(window), 'the name of a member');
  const { value } = await readSmall(window, scan, MAX_MEMBER_BYTES);
  const byte = peek(window) ?? (await find(window, holder));
  if (byte !== COLON) throw invalidAt(offsetOf(window), 'a colon');
  window.at += 1;
  return typeof value === 'string' ? value : '';
}

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

/** Any member other than a list of records may show that the JSON file is not that of a database. */
function noteMember(file: JsonFile, key: string, value: unknown, isNested: boolean): void {
  const isEmpty = value === null || (Array.isArray(value) && value.length === 0);
  if (isEmpty && file.empty.length < MAX_EMPTY) file.empty.push(key);
  else if (isNested ? !isEmpty : isUserItself({ [key]: value })) file.isDatabase = false;
}

const MAX_EMPTY = 1000;

/** Small members of a JSON object may describe the export. */
function keepMember({ root, paths, page }: Walk, holder: Holder, key: string, small: Small): void {
  const { value, sizeBytes } = small;
  if (!holder.isObject) return;
  if (holder.path === '') page.isUser ||= isUserItself({ [key]: value });
  if (paths.keepsRoot) root.keep(key, value, sizeBytes);
  if (key === 'name' && typeof value === 'string') holder.name = value;
}
