import type { TableHead } from '../containers/table.ts';
import { looksLikeHash } from '../fields/looks-like-hash.ts';
import { baseName } from '../fields/tables.ts';
import { textOf } from '../fields/values.ts';
import type { Settings } from '../source.ts';
import { lacksColumn } from './column.ts';
import { type ColumnPlan, planColumns } from './column-plan.ts';
import type { Mapping } from './mapping.ts';

const STAFF = /^_?(?:admin|staff|superuser|employee|operator|moderator)/i;
const OF_USERS =
  /(?:^|_)(?:users?|accounts?|members?|customers?|people|persons?|clients?|logins?|players?|students?)$/i;

interface Candidate {
  table: TableHead;
  plan: ColumnPlan;
}

/** Tables of databases that may hold users with their hashes, as their columns say. Of thousands of tables these are few. */
export function likelyTables(tables: readonly TableHead[], mapping: Mapping): TableHead[] {
  return candidatesAmong(tables, mapping).map(({ table }) => table);
}

/**
 * The table of a database that holds the users, where the operator does not name it. Undefined unless exactly one can be it: with all
 * columns that the mapping names and, if it names none, with addresses and hashes in it, and none of staff.
 */
export function onlyCandidate(tables: readonly TableHead[], mapping: Mapping): TableHead | undefined {
  const likely = candidatesAmong(tables, mapping);
  // Whoever names the columns may mean a table without hashes.
  const [named, another] =
    mapping.columns.size > 0 && likely.length === 0 ? withColumns(tables, mapping) : [];
  if (named !== undefined) return another === undefined ? named.table : undefined;
  const sure = likely.filter(holdsUsers);
  const [found, other] = sure.length > 0 ? sure : likely;
  if (found === undefined || other !== undefined) return undefined;
  return mapping.columns.size > 0 || isOfUsers(found.table, tables) ? found.table : undefined;
}

/** The tables that have all columns that the mapping names, and an address. */
const withColumns = (tables: readonly TableHead[], mapping: Mapping): Candidate[] =>
  tables
    .filter(({ container }) => container === 'sql')
    .map((table) => ({ table, plan: planColumns(table, mapping) }))
    .filter(
      ({ table, plan: { fields, template } }) =>
        fields.has('email') &&
        ![...fields.values(), ...template].some((column) => lacksColumn(table, column)),
    );

const candidatesAmong = (tables: readonly TableHead[], mapping: Mapping): Candidate[] =>
  withColumns(tables, mapping).filter(({ plan }) => plan.fields.has('hash') || plan.template.length > 0);

/** Returns whether the first rows have an address, and something that looks like a hash. */
function holdsUsers({ table: { first }, plan }: Candidate): boolean {
  const email = plan.fields.get('email');
  const hash = plan.fields.get('hash');
  return (
    first.some((record) => textOf(email?.valueOf(record))?.includes('@') === true) &&
    (hash === undefined || first.some((record) => looksLikeHash(textOf(hash.valueOf(record)) ?? '')))
  );
}

/** A table of staff is not taken for that of the users, nor is any other beside a table with their name and addresses. */
function isOfUsers(table: TableHead, tables: readonly TableHead[]): boolean {
  if (STAFF.test(baseName(table))) return false;
  if (OF_USERS.test(baseName(table))) return true;
  return !tables.some(
    (other) => OF_USERS.test(baseName(other)) && [...other.columns].some((name) => /e?mail/i.test(name)),
  );
}

/** Returns whether the operator names this table: `--set table=`. */
export const isNamedTable = (table: TableHead, { table: name }: Settings): boolean =>
  name === table.name || name === baseName(table);
