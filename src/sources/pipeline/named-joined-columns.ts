import type { JsonObject } from '../../lib/json/json-object.ts';
import type { SourceRecord } from '../containers/table.ts';
import { keptColumns } from '../mapping/keep-columns.ts';
import type { Detail, Form, Settings } from '../source.ts';
import { ruledColumns } from './account.ts';

/**
 * Columns of joined tables, and keys of key/value tables, that `--active` and `--keep` name:
 * `usermeta.account_status`. Each becomes a column of the users.
 */
export class NamedJoinedColumns {
  readonly #names: readonly string[];

  constructor(settings: Settings) {
    this.#names = [...new Set([...ruledColumns(settings), ...keptColumns(settings).values()])];
  }

  #ofDetail(name: string): readonly string[] {
    return this.#names.filter((column) => column.startsWith(`${name}.`));
  }

  /** Returns the values of named columns in a joined record, by the name of the column. */
  in(record: SourceRecord, name: string, { keys }: Detail): readonly (readonly [string, JsonObject])[] {
    return this.#ofDetail(name).flatMap((column) => {
      const own = column.slice(name.length + 1);
      const value = keys?.keyOf(record) === own ? keys.valueOf(record) : record[own];
      return value === undefined || value === null ? [] : [[column, { value }] as const];
    });
  }

  /** Returns a function that adds the named columns to records of users, or undefined if there are none. */
  adder(
    { details = {}, keyOf }: Form,
    find: (column: string, key: string) => readonly JsonObject[],
  ): ((record: SourceRecord) => SourceRecord) | undefined {
    const columns = Object.entries(details).flatMap(([name, { keyOfUser = keyOf }]) =>
      this.#ofDetail(name).map((column) => [column, keyOfUser] as const),
    );
    if (columns.length === 0) return undefined;
    return (record) => {
      const found = columns.flatMap(([column, keyOfUser]) => {
        const key = keyOfUser?.(record);
        const values = key === undefined ? [] : find(column, key).map(({ value }) => value);
        // Several values are a list, which no rule of `--active` accepts.
        return values.length === 0 ? [] : [[column, values.length === 1 ? values[0] : values] as const];
      });
      return { ...record, ...Object.fromEntries(found) };
    };
  }
}
