import type { TableHead } from '../containers/table.ts';
import { looksLikeHash } from '../fields/looks-like-hash.ts';
import { baseName, isOfDatabase, snakeCased } from '../fields/tables.ts';
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

/** Names of tables with people who are not users, or are no longer users. */
const SET_ASIDE =
  /(?:^|_)(?:pending|deleted?|removed|banned|blocked|suspended|archived?|old|backups?|bak|tmp|temp|invited|invitations?|rejected|trash(?:ed)?|history|audit)(?:_|$)/;

/**
 * Whether a table of a database contains people who must not become users, such as `pending_users` or
 * `users_backup`. Their rows could displace those of real users, and their ids may belong to other people.
 * The operator can still name the table.
 * @param names names that the system gives its table, such as `banned`
 */
export const isSetAside = (table: TableHead, settings: Settings, names: readonly string[] = []): boolean =>
  isOfDatabase(table) &&
  !isNamedTable(table, settings) &&
  isOfOthers(baseName(table)) &&
  !names.some(isOfOthers);

const isOfOthers = (name: string) => SET_ASIDE.test(snakeCased(name));

/**
 * Returns the tables of a database whose columns suggest users with password hashes. Tables of people who must
 * not become users come last.
 */
export function likelyTables(tables: readonly TableHead[], mapping: Mapping): TableHead[] {
  const likely = candidatesAmong(tables, mapping).map(({ table }) => table);
  return likely.toSorted((one, other) => Number(isSetAside(one, {})) - Number(isSetAside(other, {})));
}

/**
 * Returns the table of the users if the operator names none, and exactly one qualifies. It must have all
 * columns that the mapping names. Without a mapping, it must contain addresses and hashes, and must not be a
 * table of staff.
 */
export function onlyCandidate(tables: readonly TableHead[], mapping: Mapping): TableHead | undefined {
  const likely = candidatesAmong(tables, mapping);
  // If the operator named columns and no table has hashes, a table without hashes may hold the users.
  const [named, another] =
    mapping.columns.size > 0 && likely.length === 0 ? withColumns(tables, mapping) : [];
  if (named !== undefined) return another === undefined ? named.table : undefined;
  const sure = likely.filter(holdsUsers);
  const [found, other] = sure.length > 0 ? sure : likely;
  if (found === undefined || other !== undefined) return undefined;
  return mapping.columns.size > 0 || isOfUsers(found.table, tables) ? found.table : undefined;
}

const withColumns = (tables: readonly TableHead[], mapping: Mapping): Candidate[] =>
  tables
    .filter(isOfDatabase)
    .map((table) => ({ table, plan: planColumns(table, mapping) }))
    .filter(
      ({ table, plan: { fields, template } }) =>
        fields.has('email') &&
        ![...fields.values(), ...template].some((column) => lacksColumn(table, column)),
    );

const candidatesAmong = (tables: readonly TableHead[], mapping: Mapping): Candidate[] =>
  withColumns(tables, mapping).filter(({ plan }) => plan.fields.has('hash') || plan.template.length > 0);

function holdsUsers({ table: { first }, plan }: Candidate): boolean {
  const email = plan.fields.get('email');
  const hash = plan.fields.get('hash');
  return (
    first.some((record) => textOf(email?.valueOf(record))?.includes('@') === true) &&
    (hash === undefined || first.some((record) => looksLikeHash(textOf(hash.valueOf(record)) ?? '')))
  );
}

/**
 * Whether the name of a table suggests users. A table of staff does not qualify. A table with another name
 * qualifies only if no other table has both a name that suggests users and e-mail addresses.
 */
function isOfUsers(table: TableHead, tables: readonly TableHead[]): boolean {
  if (STAFF.test(baseName(table))) return false;
  if (OF_USERS.test(baseName(table))) return true;
  return !tables.some(
    (other) =>
      OF_USERS.test(baseName(other)) &&
      (isEmptyList(other) || [...other.columns].some((name) => /e?mail/i.test(name))),
  );
}

const isEmptyList = ({ container, columns }: TableHead) => container === 'json' && columns.size === 0;

/** Value of `--table` for files that are parts of one table. */
export const ALL_TABLES = '*';

/** Whether the operator named this table by `--table`. */
export const isNamedTable = (table: TableHead, { table: name }: Settings): boolean =>
  name === table.name || name === baseName(table);
