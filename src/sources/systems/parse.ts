import type { SourceRecord, TableHead } from '../containers/table.ts';
import { flagOf, objectOf, textOf } from '../fields/values.ts';
import type { UserState } from '../source-user.ts';
import { hasAll, type Row, system, type Users } from './declare.ts';

const AUTH_DATA = '_auth_data_';

const hasAnyOf = (table: TableHead, ...names: readonly string[]) =>
  names.some((name) => table.columns.has(name));
const isAsKept = (table: TableHead) =>
  hasAnyOf(table, '_hashed_password') ||
  (hasAll(table, '_id _created_at') && hasAnyOf(table, '_rperm', '_wperm', '_acl'));
/** Columns of Parse's REST API. Backendless also has an `objectId`, but writes `created`. */
const isAsShown = (table: TableHead) =>
  hasAll(table, 'objectId createdAt updatedAt') &&
  hasAnyOf(table, 'email', 'emailVerified', 'authData', 'sessionToken', 'ACL');

/** Data of third parties by provider: in a column for each, or in one column. */
function authDataOf(record: SourceRecord): [provider: string, data: SourceRecord][] {
  const ofColumns = Object.keys(record).flatMap((name): [string, unknown][] =>
    name.startsWith(AUTH_DATA) ? [[name.slice(AUTH_DATA.length), record[name]]] : [],
  );
  return [...ofColumns, ...Object.entries(objectOf(record.authData) ?? {})].flatMap(
    // A provider account that the Parse user has unlinked is still listed, with the value null.
    ([provider, value]): [string, SourceRecord][] => {
      const data = objectOf(value);
      return data === undefined ? [] : [[provider, data]];
    },
  );
}

const hasAuthData = (record: SourceRecord, name: string) =>
  authDataOf(record).some(([provider]) => provider === name);
/** Names in the data of third parties that are no third parties. */
const [ANONYMOUS, MFA] = ['anonymous', 'mfa'] as const;

/** An access control list that names nobody locks the user out. A list that is not set means everybody. */
function stateOf({ record }: Row): UserState | undefined {
  if (hasAuthData(record, ANONYMOUS)) return 'ANONYMOUS';
  const { ACL, _rperm, _wperm } = record;
  const lists = [_rperm, _wperm].filter((list) => list !== undefined && list !== null && list !== '');
  const isEmpty = (list: unknown) =>
    list === '{}' || list === '[]' || (Array.isArray(list) && list.length === 0);
  const acl = objectOf(ACL);
  const isLockedOut =
    (lists.length > 0 && lists.every(isEmpty)) || (acl !== undefined && Object.keys(acl).length === 0);
  return isLockedOut ? 'DISABLED' : undefined;
}

/** Parse signs people in by name or address, and confirms addresses only. */
const nameAsAddress = ({ record: { email, username } }: Row): string | undefined =>
  textOf(email) === undefined && textOf(username)?.includes('@') ? textOf(username) : undefined;

/** A user without `emailVerified` is unverified if other users have it: the server then verifies addresses. */
function isVerified(row: Row): boolean | undefined {
  if (nameAsAddress(row) !== undefined) return false;
  return flagOf(row.record.emailVerified) ?? (row.table.columns.has('emailVerified') ? false : undefined);
}

const users: Omit<Users, 'forms' | 'id' | 'hash' | 'unused'> = {
  table: '_User',
  has: 'username',
  email: (row) => nameAsAddress(row) ?? row.record.email,
  verified: isVerified,
  joined: '_created_at|createdAt',
  identities: ({ record }) =>
    authDataOf(record)
      .filter(([provider]) => provider !== ANONYMOUS && provider !== MFA)
      .map(([provider, { id, email }]) => ({ provider, userId: id, email: textOf(email) })),
  metadata: 'username',
  state: stateOf,
  factors: ({ record }) => hasAuthData(record, MFA),
  lockedUntil: '_account_lockout_expires_at',
  reads: `email emailVerified authData ${AUTH_DATA}* ACL _rperm _wperm`,
};

const UNUSED = 'updatedAt sessionToken';

/**
 * Collection or table `_User` of Parse in MongoDB or PostgreSQL, and exports of the REST API and the dashboard, which
 * have no hashes. Fields that the application added are asked about. Schema: parse-community/parse-server:
 * src/Controllers/SchemaController.js, src/Adapters/Storage, src/Routers/UsersRouter.js
 */
export const parse = system(
  { name: 'parse', title: 'Parse Server' },
  {
    ...users,
    forms: { json: 'parse-mongoexport', csv: 'parse-mongoexport-csv', sql: 'parse-pg_dump' },
    only: isAsKept,
    unusedTables: '_Session',
    id: '_id|objectId',
    hash: '_hashed_password',
    unused: `${UNUSED} _updated_at _acl _email_verify_token _email_verify_token_expires_at _failed_login_count _perishable_token _perishable_token_expires_at _password_changed_at _password_history _session_token _tombstone`,
  },
  {
    ...users,
    forms: { json: 'parse-rest', csv: 'parse-dashboard-csv' },
    hasPages: true,
    only: isAsShown,
    id: '_id|objectId',
    unused: `${UNUSED} password`,
    warning:
      'The REST API and the dashboard of Parse show no hashes: everybody would need a new password. Export the collection from the database: mongoexport --collection=_User --out=_User.json, or pg_dump of the table "_User" (PostgreSQL).',
  },
);
