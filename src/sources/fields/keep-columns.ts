import { isJsonObject } from '../../lib/json/json-object.ts';
import type { SourceRecord } from '../containers/table.ts';
import type { Settings } from '../source.ts';
import type { SourceUser } from '../source-user.ts';
import { metadataOf } from './values.ts';

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

/** Adds the columns that the operator keeps, also members of objects (`profile.city`). */
export function addKeptColumns(user: SourceUser, record: SourceRecord, settings: Settings): void {
  if (settings.keep === undefined) return;
  const values = [...keptColumns(settings)].map(([name, column]) => [name, valueAt(record, column)]);
  const kept = metadataOf(Object.fromEntries(values));
  if (kept === undefined) return;
  if (user.metadata === undefined) user.isMetadataChosen = true;
  user.metadata = { ...kept, ...user.metadata };
}

function valueAt(record: SourceRecord, column: string): unknown {
  if (Object.hasOwn(record, column)) return record[column];
  return column
    .split('.')
    .reduce<unknown>(
      (value, name) => (isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined),
      record,
    );
}
