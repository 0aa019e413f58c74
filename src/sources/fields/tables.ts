import { withoutCapitals } from '../../lib/text/characters.ts';
import type { TableHead } from '../containers/table.ts';
import { flagOf, textOf } from './values.ts';

/** Name of the table with the result of `--query`. */
export const QUERY_TABLE = 'query';

/** Name of a table without its schema: `users` for `auth.users`. */
export const baseName = ({ name }: Pick<TableHead, 'name'>) => name.slice(name.lastIndexOf('.') + 1);

/** Returns a name in lower case, with an underscore between its words: `user_id` for `userId`. */
export const snakeCased = (name: string) => name.replace(/([a-z\d])([A-Z])/g, '$1_$2').toLowerCase();

/** Returns the name as declarations write it: without schema, `user_entity` for `USER_ENTITY`. */
export const systemName = (table: TableHead) => withoutCapitals([baseName(table)])[0] ?? '';

/**
 * Whether the table is one of several with names, as in a database. A table that is alone in its file needs no name:
 * the operator chose it by naming the file.
 */
export const isOfDatabase = ({ container, isOneOfSeveral }: TableHead): boolean =>
  container === 'sql' || isOneOfSeveral === true;

/** Whether a table may be one of these. Names are compared only in SQL, because other files need not name tables. */
export const mayBe = (table: TableHead, ...names: readonly string[]) =>
  table.container !== 'sql' || names.includes(systemName(table));

/** Like `mayBe`, for systems whose tables may have a prefix: `shop_customer_entity` for `customer_entity`. */
export const mayBePrefixed = (table: TableHead, name: string) =>
  table.container !== 'sql' || systemName(table) === name || systemName(table).endsWith(`_${name}`);

export const hasColumns = ({ columns }: TableHead, ...names: readonly string[]) =>
  names.every((name) => columns.has(name));

export const hasAnyColumn = ({ columns }: TableHead, ...names: readonly string[]) =>
  names.some((name) => columns.has(name));

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

/** Whether the first records have only flags in a column, and not times. Undefined if the column is empty there. */
export function holdsFlags({ first }: TableHead, column: string): boolean | undefined {
  const values = first.map((record) => record[column]).filter(isFlagOrText);
  return values.length === 0 ? undefined : values.every((value) => flagOf(value) !== undefined);
}

const isFlagOrText = (value: unknown) => typeof value === 'boolean' || textOf(value) !== undefined;

/** Returns a function that calls `make` once for each pair of objects. The value is kept as long as both are in use. */
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
