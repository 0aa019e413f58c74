import { isJsonObject, type JsonObject } from '../../lib/json/json-object.ts';
import { withoutCapitals } from '../../lib/text/characters.ts';
import type { SourceRecord, TableHead } from '../containers/table.ts';
import { metadataOf } from '../fields/values.ts';
import type { Settings } from '../source.ts';
import type { SourceUser } from '../source-user.ts';

/** A column and the path to a value within it. */
export interface Column {
  column: string;
  /** The part of the column name before the first dot, or the whole name if a column has it. */
  member: string;
  valueOf(record: SourceRecord): unknown;
}

/**
 * Returns a column of a table. In JSON it may be a nested member (`profile.email`) of a record without a member of
 * the whole name.
 */
export function columnOf(table: TableHead, written: string): Column {
  // Names without small letters may have been made small, for whole tables.
  const isOwn = table.container !== 'sql' || table.columns.has(written);
  const name = isOwn ? written : (withoutCapitals([written])[0] ?? written);
  const [member = '', ...rest] = name.split('.');
  if (table.container !== 'json' || rest.length === 0)
    return { column: name, member: name, valueOf: (record) => ownMember(record, name) };
  return {
    column: name,
    member: table.columns.has(name) ? name : member,
    valueOf(record) {
      const within = rest.reduce<unknown>(memberOf, ownMember(record, member));
      if (!Object.hasOwn(record, name)) return within;
      // A record that has both is no plain value, which no rule accepts.
      return within === undefined ? record[name] : [record[name], within];
    },
  };
}

const ownMember = (object: JsonObject, name: string): unknown =>
  Object.hasOwn(object, name) ? object[name] : undefined;

const memberOf = (value: unknown, name: string): unknown =>
  isJsonObject(value) ? ownMember(value, name) : undefined;

/** Whether a column is certainly missing. Later records of JSON may have members that the first lack. */
export function lacksColumn(table: TableHead, { column, member }: Column): boolean {
  if (table.container === 'json') return false;
  if (table.cells !== undefined) return !(/^\d{1,4}$/.test(column) && Number(column) < table.cells);
  return !table.columns.has(member);
}

/** An item of `--keep`: a column, or `name=column`. Double quotes around a column are no part of its name. */
const ITEM = /\s*(?:([^,="]+)=)?\s*("(?:[^"]|"")*"|[^,]*)\s*(?:,|$)/y;

/** Columns that `--keep plan,locale=lang` makes metadata, by their names there. */
export function keptColumns({ keep = '' }: Settings): ReadonlyMap<string, string> {
  const kept = new Map<string, string>();
  for (let at = 0; at < keep.length; at = ITEM.lastIndex) {
    ITEM.lastIndex = at;
    const [, name, column = ''] = ITEM.exec(keep) ?? [];
    const isQuoted = /^".*"$/s.test(column);
    const bare = isQuoted ? column.slice(1, -1).replaceAll('""', '"') : column.trim();
    if (bare !== '') kept.set(name?.trim() ?? bare, bare);
    if (ITEM.lastIndex === 0) break;
  }
  return kept;
}

/** The names of `--ignore`, `--ignore-table` and `--without-table`, written as those of `--keep`. */
export const listedNames = (names: string | undefined): ReadonlySet<string> =>
  new Set(keptColumns({ keep: names ?? '' }).values());

/** Returns a function that adds the columns that the operator keeps, also members of objects (`profile.city`). */
export function keptColumnsReader(
  table: TableHead,
  settings: Settings,
): (user: SourceUser, record: SourceRecord) => void {
  const columns = [...keptColumns(settings)].map(
    ([name, column]) => [name, columnOf(table, column)] as const,
  );
  if (columns.length === 0) return () => {};
  return (user, record) => {
    const kept = metadataOf(
      Object.fromEntries(columns.map(([name, column]) => [name, column.valueOf(record)])),
    );
    if (kept !== undefined) user.metadata = { ...kept, ...user.metadata };
  };
}
