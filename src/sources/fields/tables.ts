import type { ContainerName, TableHead } from '../containers/table.ts';
import type { Form } from '../source.ts';

/** The name of a table without its schema: `users` of `auth.users`. */
export const baseName = ({ name }: TableHead) => name.slice(name.lastIndexOf('.') + 1);

/** May it be the table of one of these names? Only SQL names its tables: elsewhere the columns must tell. */
export const mayBe = (table: TableHead, ...names: readonly string[]) =>
  table.container !== 'sql' || names.includes(baseName(table));

/** As `mayBe`, of systems whose tables can have a prefix: `shop_customer_entity`. */
export const mayBePrefixed = (table: TableHead, name: string) =>
  table.container !== 'sql' || baseName(table) === name || baseName(table).endsWith(`_${name}`);

export const hasColumns = ({ columns }: TableHead, ...names: readonly string[]) =>
  names.every((name) => columns.has(name));

export const hasAnyColumn = ({ columns }: TableHead, ...names: readonly string[]) =>
  names.some((name) => columns.has(name));

/** One form for each container that may have the same tables, under the name that it has there. */
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
