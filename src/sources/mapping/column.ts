import { isJsonObject, type JsonObject } from '../../lib/json/json-object.ts';
import type { SourceRecord, TableHead } from '../containers/table.ts';

/** Position of a value in the records of a table: the column, and the path within it. */
export interface Column {
  /** Name given by the operator or the file, for messages. */
  column: string;
  /**
   * Top-level member of the record: the part of the name before the first dot, unless a column has the
   * whole name.
   */
  member: string;
  valueOf(record: SourceRecord): unknown;
}

/** In JSON, a column may be a nested member: `profile.email`. */
export function columnOf(table: TableHead, name: string): Column {
  const [member = '', ...rest] = name.split('.');
  if (table.container !== 'json' || table.columns.has(name) || rest.length === 0)
    return { column: name, member: name, valueOf: (record) => ownMember(record, name) };
  return {
    column: name,
    member,
    valueOf: (record) => rest.reduce<unknown>(memberOf, ownMember(record, member)),
  };
}

const ownMember = (object: JsonObject, name: string): unknown =>
  Object.hasOwn(object, name) ? object[name] : undefined;

const memberOf = (value: unknown, name: string): unknown =>
  isJsonObject(value) ? ownMember(value, name) : undefined;

/** In JSON, the first records may lack a member that later records have. */
export function lacksColumn(table: TableHead, { column, member }: Column): boolean {
  if (table.container === 'json') return false;
  if (table.cells !== undefined) return !(/^\d{1,4}$/.test(column) && Number(column) < table.cells);
  return !table.columns.has(member);
}
