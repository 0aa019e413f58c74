import type { RecordBatch } from '../table.ts';
import { type ByteWindow, offsetOf, peek, peekOn } from './byte-window.ts';
import { CLOSE_ARRAY, CLOSE_OBJECT, COLON, COMMA, OPEN_ARRAY, OPEN_OBJECT, QUOTE } from './bytes.ts';
import { isUserItself } from './first-document.ts';
import type { JsonPaths } from './json-paths.ts';
import { invalidAt, truncated } from './json-problems.ts';
import type { JsonTables } from './json-tables.ts';
import { readElements } from './read-elements.ts';
import { readSmall } from './read-small.ts';
import { MAX_MEMBER_BYTES, type RootMembers } from './root-members.ts';
import type { Scan } from './scan-value.ts';

/** State of reading a JSON document from its outermost object or array inwards. */
export interface Walk {
  readonly window: ByteWindow;
  readonly tables: JsonTables;
  readonly root: RootMembers;
  readonly paths: JsonPaths;
  readonly scan: Scan;
  /** Facts about the current JSON document: whether it contains a table, and whether it is a user itself. */
  readonly page: { hasTable: boolean; isUser: boolean };
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
      window.at += 1;
      yield* readElements(window, walk.tables.table(walk.paths.tableName(valuePath, holder.name)));
    } else if (place === 'inside') {
      yield* readWithin(walk, valuePath);
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

async function readMember(walk: Walk, holder: Holder, key: string): Promise<void> {
  const { window, scan, root, paths, page } = walk;
  const { value, sizeBytes } = await readSmall(window, scan, MAX_MEMBER_BYTES);
  if (!holder.isObject) return;
  if (holder.path === '') page.isUser ||= isUserItself({ [key]: value });
  if (paths.keepsRoot) root.keep(key, value, sizeBytes);
  if (key === 'name' && typeof value === 'string') holder.name = value;
}
