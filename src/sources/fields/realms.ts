import type { SourceRecord } from '../containers/table.ts';
import type { FormRealms } from '../source.ts';
import { hasAnyColumn } from './tables.ts';
import { firstOf, textOf } from './values.ts';

/** Value of `--set realm` that imports all realms (tenants, organisations, websites) of an export. */
export const ALL_REALMS = '*';

/** Option of sources whose exports can hold several realms. */
export const REALM = {
  realm: `the realm to import, or ${ALL_REALMS} for all of them`,
};

/** Realm of users who belong to none, in a system with realms. `--set realm=` (empty) chooses them. */
export const NO_REALM = '';

/**
 * Describes the realms of a system that names them in a column.
 * @param columns names of the column; the first one that a record has is used
 */
export function realmsInColumn(title: string, ...columns: readonly [string, ...string[]]): FormRealms {
  const read = (record: SourceRecord) => textOf(firstOf(record, columns)) ?? NO_REALM;
  return {
    title,
    place: `column ${columns[0]}`,
    // In JSON, only the members of the first records are known, so later records may have the column.
    of: ({ table }) => (table.container === 'json' || hasAnyColumn(table, ...columns) ? read : NO_REALM),
  };
}
