import { isJsonObject, type JsonObject } from '../../imports/input/json-object.ts';
import type { SourceRecord, TableHead } from '../containers/table.ts';

/** Where a value stands in a record. */
export interface Column {
  /** As the operator or the file names it. Shown. */
  column: string;
  /** The member of the record that it stands in: what is before the first dot, where there is no column of the whole name. */
  member: string;
  valueOf(record: SourceRecord): unknown;
}

/** A column of a table; of JSON also a member of a member, `profile.email`. */
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

/** Is it known that the table has no such column? Members of JSON may be missing in the first records. */
export function lacksColumn(table: TableHead, { column, member }: Column): boolean {
  if (table.container === 'json') return false;
  if (table.cells !== undefined) return !(/^\d{1,4}$/.test(column) && Number(column) < table.cells);
  return !table.columns.has(member);
}
