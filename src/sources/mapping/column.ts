import { isJsonObject, type JsonObject } from '../../lib/json/json-object.ts';
import type { SourceRecord, TableHead } from '../containers/table.ts';

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
export function columnOf(table: TableHead, name: string): Column {
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
