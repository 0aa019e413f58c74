import type { SourceRecord } from '../containers/table.ts';
import type { FormRealms } from '../source.ts';
import { hasAnyColumn } from './tables.ts';
import { firstOf, textOf } from './values.ts';

/** Value of `--set realm` that takes the users of all realms. */
export const ALL_REALMS = '*';

/** Settings of a source whose exports can hold several realms. */
export const REALM = {
  realm: `the realm to import, or ${ALL_REALMS} for all of them`,
};

/** Realm of users without a realm, in a system that has realms. `--set realm=` chooses it. */
export const NO_REALM = '';

/**
 * Returns the realms of a system that names them in a column.
 * @param columns names of the column; the first one that a record has is used
 */
export function realmsInColumn(title: string, ...columns: readonly [string, ...string[]]): FormRealms {
  const read = (record: SourceRecord) => textOf(firstOf(record, columns)) ?? NO_REALM;
  return {
    title,
    place: `column ${columns[0]}`,
    // For a table in JSON, only the columns of the first records are known.
    of: ({ table }) => (table.container === 'json' || hasAnyColumn(table, ...columns) ? read : NO_REALM),
  };
}
