import type { ContainerName, TableHead } from '../containers/table.ts';
import type { Form } from '../source.ts';

/** Returns the name of a database table without its schema: `users` for `auth.users`. */
export const baseName = ({ name }: TableHead) => name.slice(name.lastIndexOf('.') + 1);

/**
 * Returns whether the table stands beside others under a name of its own, as in a database. A table
 * that stands alone in its file was named by the operator.
 */
export const isOfDatabase = ({ container, isOneOfSeveral }: TableHead): boolean =>
  container === 'sql' || isOneOfSeveral === true;

/**
 * Returns whether a table of an export may have one of the given names. Only SQL names its tables; in other
 * files, any table may.
 */
export const mayBe = (table: TableHead, ...names: readonly string[]) =>
  table.container !== 'sql' || names.includes(baseName(table));

/**
 * Returns whether a table of an export may have this name, for systems whose tables can have a prefix:
 * `shop_customer_entity`. Only SQL names its tables.
 */
export const mayBePrefixed = (table: TableHead, name: string) =>
  table.container !== 'sql' || baseName(table) === name || baseName(table).endsWith(`_${name}`);

export const hasColumns = ({ columns }: TableHead, ...names: readonly string[]) =>
  names.every((name) => columns.has(name));

export const hasAnyColumn = ({ columns }: TableHead, ...names: readonly string[]) =>
  names.some((name) => columns.has(name));

/**
 * Returns descriptions of one kind of export (forms), one for each kind of file (SQL, CSV, …) that may hold
 * its tables.
 * @param names name of each form, by kind of file
 */
export function formsOf(
  names: Partial<Record<ContainerName, string>>,
  form: Omit<Form, 'name'>,
): readonly Form[] {
  return Object.entries(names).map(([container, name]) => ({
    ...form,
    name,
    isUsers: (table, ...known) => table.container === container && form.isUsers(table, ...known),
  }));
}
