import type { SourceRecord, TableHead } from '../containers/table.ts';
import { metadataOf } from '../fields/values.ts';
import type { Settings } from '../source.ts';
import type { SourceUser } from '../source-user.ts';
import { columnOf } from './column.ts';

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
