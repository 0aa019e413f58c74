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

/**
 * Returns the tables of a database whose columns suggest users with password hashes. There are usually only a
 * few, even among thousands of tables.
 */
export function likelyTables(tables: readonly TableHead[], mapping: Mapping): TableHead[] {
  return candidatesAmong(tables, mapping).map(({ table }) => table);
}

/**
 * Returns the table that holds the users, if the operator names none. Undefined unless exactly one table
 * qualifies: it must have all columns that the mapping (`--map`) names. If the mapping names none, it must
 * contain addresses and hashes, and must not be a table of staff.
 */
export function onlyCandidate(tables: readonly TableHead[], mapping: Mapping): TableHead | undefined {
  const likely = candidatesAmong(tables, mapping);
  // Tables without hashes may hold the users, too, because an operator who names columns may mean such a
  // table.
  const [named, another] =
    mapping.columns.size > 0 && likely.length === 0 ? withColumns(tables, mapping) : [];
  if (named !== undefined) return another === undefined ? named.table : undefined;
  const sure = likely.filter(holdsUsers);
  const [found, other] = sure.length > 0 ? sure : likely;
  if (found === undefined || other !== undefined) return undefined;
  return mapping.columns.size > 0 || isOfUsers(found.table, tables) ? found.table : undefined;
}

/** Returns the tables that have an e-mail address and all columns of the operator's mapping. */
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

/** Returns whether the first rows of a table have an e-mail address, and something that looks like a hash. */
function holdsUsers({ table: { first }, plan }: Candidate): boolean {
  const email = plan.fields.get('email');
  const hash = plan.fields.get('hash');
  return (
    first.some((record) => textOf(email?.valueOf(record))?.includes('@') === true) &&
    (hash === undefined || first.some((record) => looksLikeHash(textOf(hash.valueOf(record)) ?? '')))
  );
}

/**
 * Returns whether the name of a table suggests users. A table of staff does not qualify. A table with another
 * name qualifies only if no other table has both a name that suggests users and e-mail addresses.
 */
function isOfUsers(table: TableHead, tables: readonly TableHead[]): boolean {
  if (STAFF.test(baseName(table))) return false;
  if (OF_USERS.test(baseName(table))) return true;
  return !tables.some(
    (other) => OF_USERS.test(baseName(other)) && [...other.columns].some((name) => /e?mail/i.test(name)),
  );
}

/** Returns whether the operator named this table as the table of the users (`--set table=`). */
export const isNamedTable = (table: TableHead, { table: name }: Settings): boolean =>
  name === table.name || name === baseName(table);
