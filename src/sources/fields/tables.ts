import type { ContainerName, TableHead } from '../containers/table.ts';
import type { Form } from '../source.ts';

/** Name of the table that has the result of `--query`. */
export const QUERY_TABLE = 'query';

/** Name of a table without its schema: `users` for `auth.users`. */
export const baseName = ({ name }: TableHead) => name.slice(name.lastIndexOf('.') + 1);

/**
 * Whether the table stands beside others under a name of its own, as in a database. A table alone in its file
 * was named by the operator.
 */
export const isOfDatabase = ({ container, isOneOfSeveral }: TableHead): boolean =>
  container === 'sql' || isOneOfSeveral === true;

/** Whether a table may have one of the names. They count in SQL only: other files may hold any table. */
export const mayBe = (table: TableHead, ...names: readonly string[]) =>
  table.container !== 'sql' || names.includes(baseName(table));

/** As `mayBe`, for systems whose tables can have a prefix: `shop_customer_entity`. */
export const mayBePrefixed = (table: TableHead, name: string) =>
  table.container !== 'sql' || baseName(table) === name || baseName(table).endsWith(`_${name}`);

export const hasColumns = ({ columns }: TableHead, ...names: readonly string[]) =>
  names.every((name) => columns.has(name));

export const hasAnyColumn = ({ columns }: TableHead, ...names: readonly string[]) =>
  names.some((name) => columns.has(name));

/**
 * Makes a form for each kind of file that may hold the same tables.
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
