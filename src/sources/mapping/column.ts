import { isJsonObject, type JsonObject } from '../../lib/json/json-object.ts';
import { withoutCapitals } from '../../lib/text/characters.ts';
import type { SourceRecord, TableHead } from '../containers/table.ts';
import { metadataOf } from '../fields/values.ts';
import type { Settings } from '../source.ts';
import type { SourceUser } from '../source-user.ts';

/** A column and the path to a value within it. */
export interface Column {
  column: string;
  /** Member of the record that has the value: the name before the first dot, or the whole name if it is a column. */
  member: string;
  valueOf(record: SourceRecord): unknown;
}

/**
 * Returns a column of a table. In JSON, a name with dots may be a member of the record (`"profile.email"`) or a nested
 * member (`email` of `profile`).
 */
export function columnOf(table: TableHead, written: string): Column {
  // If all column names of a table were capitals, they were changed to lower case (withoutCapitals).
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
      // A record with both members gives a list, which no rule accepts, because either value may be the right one.
      return within === undefined ? record[name] : [record[name], within];
    },
  };
}

const ownMember = (object: JsonObject, name: string): unknown =>
  Object.hasOwn(object, name) ? object[name] : undefined;

const memberOf = (value: unknown, name: string): unknown =>
  isJsonObject(value) ? ownMember(value, name) : undefined;

/** Whether a column is certainly missing. In JSON that is unknown: later records may have other members. */
export function lacksColumn(table: TableHead, { column, member }: Column): boolean {
  if (table.container === 'json') return false;
  if (table.cells !== undefined) return !(/^\d{1,4}$/.test(column) && Number(column) < table.cells);
  return !table.columns.has(member);
}

/** An item of `--keep`: a column, or `name=column`. Double quotes around a column are not part of its name. */
const ITEM = /\s*(?:([^,="]+)=)?\s*("(?:[^"]|"")*"|[^,]*)\s*(?:,|$)/y;

/** Returns the columns of `--keep plan,locale=lang`, by the names that they get in the metadata. */
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

/** Parses the names of `--ignore`, `--ignore-table` and `--without-table`, which have the syntax of `--keep`. */
export const listedNames = (names: string | undefined): ReadonlySet<string> =>
  new Set(keptColumns({ keep: names ?? '' }).values());

/** Returns a function that adds the columns of `--keep` to a user's metadata, also nested ones (`profile.city`). */
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
