import { withoutCapitals } from '../../lib/text/characters.ts';
import type { ContainerName, TableHead } from '../containers/table.ts';
import type { Form } from '../source.ts';
import { flagOf, textOf } from './values.ts';

/** Name of the table that has the result of `--query`. */
export const QUERY_TABLE = 'query';

/** Name of a table without its schema: `users` for `auth.users`. */
export const baseName = ({ name }: TableHead) => name.slice(name.lastIndexOf('.') + 1);

/** The name that systems know: `user_entity` for `USER_ENTITY`. */
export const systemName = (table: TableHead) => withoutCapitals([baseName(table)])[0] ?? '';

/**
 * Whether the table stands beside others under a name of its own, as in a database. A table alone in its file
 * was named by the operator.
 */
export const isOfDatabase = ({ container, isOneOfSeveral }: TableHead): boolean =>
  container === 'sql' || isOneOfSeveral === true;

/** Whether a table may have one of the names. They count in SQL only: other files may hold any table. */
export const mayBe = (table: TableHead, ...names: readonly string[]) =>
  table.container !== 'sql' || names.includes(systemName(table));

/** As `mayBe`, for systems whose tables can have a prefix: `shop_customer_entity`. */
export const mayBePrefixed = (table: TableHead, name: string) =>
  table.container !== 'sql' || systemName(table) === name || systemName(table).endsWith(`_${name}`);

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

/**
 * Returns the letters and digits of a column name in lower case: `required_for_login` becomes `requiredforlogin`.
 * Letters of all scripts count: `email_старый` is not `email`.
 */
export const bareName = (name: string): string => name.toLowerCase().replace(/[^\p{L}\p{Nd}]/gu, '');

/** Maximum number of column names to cache, because a file may have any number of them. */
const MAX_NAMES = 1000;

export function oncePerName<Value>(read: (name: string) => Value): (name: string) => Value {
  const known = new Map<string, { value: Value }>();
  return (name) => {
    const found = known.get(name);
    if (found !== undefined) return found.value;
    const value = read(name);
    if (known.size < MAX_NAMES) known.set(name, { value });
    return value;
  };
}

/** Whether a column holds flags and not times. Undefined if it is empty in the first records. */
export function holdsFlags({ first }: TableHead, column: string): boolean | undefined {
  const values = first.map((record) => record[column]).filter(isFlagOrText);
  return values.length === 0 ? undefined : values.every((value) => flagOf(value) !== undefined);
}

const isFlagOrText = (value: unknown) => typeof value === 'boolean' || textOf(value) !== undefined;

/** Makes a value once for each pair of objects, as long as both are in use. */
export function oncePerPair<One extends object, Other extends object, Value>(
  make: (one: One, other: Other) => Value,
): (one: One, other: Other) => Value {
  const known = new WeakMap<One, WeakMap<Other, { value: Value }>>();
  return (one, other) => {
    const ofOne = known.get(one) ?? new WeakMap<Other, { value: Value }>();
    known.set(one, ofOne);
    const found = ofOne.get(other) ?? { value: make(one, other) };
    ofOne.set(other, found);
    return found.value;
  };
}
