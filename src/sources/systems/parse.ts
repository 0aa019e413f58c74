import type { SourceRecord, TableHead } from '../containers/table.ts';
import { selfDescribingHash } from '../fields/self-describing.ts';
import { formsOf, hasAnyColumn, hasColumns, mayBe } from '../fields/tables.ts';
import { timeOf } from '../fields/time.ts';
import { flagOf, metadataOf, objectOf, textOf } from '../fields/values.ts';
import type { Advice, Form, ReadContext, Source } from '../source.ts';
import type { SourceIdentity, SourceUser } from '../source-user.ts';

const AUTH_DATA = '_auth_data_';
/** Standard fields of Parse's REST API, which do not become metadata. */
const KNOWN = new Set(['objectId', 'email', 'emailVerified', 'createdAt', 'updatedAt', 'authData', 'ACL']);

const shared: Pick<Form, 'read' | 'ownStates' | 'advice'> = {
  ownStates: [],
  read,
  advice: ({ tables }) => adviceOf(tables.find(isParseTable)),
};

/**
 * Collection or table `_User` of Parse in MongoDB or PostgreSQL, and exports of the REST API and the
 * dashboard, which have no hashes. Code:
 * parse-community/parse-server@7ea2a295:src/Adapters/Storage/Mongo/MongoTransform.js, src/password.js
 */
export const parse: Source = {
  name: 'parse',
  title: 'Parse Server',
  forms: [
    ...formsOf(
      { json: 'parse-mongoexport', csv: 'parse-mongoexport-csv', sql: 'parse-pg_dump' },
      { ...shared, isUsers: (table) => isUserTable(table) && isAsKept(table) },
    ),
    ...formsOf(
      { json: 'parse-rest', csv: 'parse-dashboard-csv' },
      { ...shared, hasPages: true, isUsers: (table) => isUserTable(table) && isAsShown(table) },
    ),
  ],
};

const isUserTable = (table: TableHead) => mayBe(table, '_User') && hasColumns(table, 'username');
const isAsKept = (table: TableHead) =>
  hasAnyColumn(table, '_hashed_password') ||
  (hasColumns(table, '_id', '_created_at') && hasAnyColumn(table, '_rperm', '_wperm', '_acl'));
/** Columns of Parse's REST API. Backendless also has an `objectId`, but writes `created`. */
const isAsShown = (table: TableHead) =>
  hasColumns(table, 'objectId', 'createdAt', 'updatedAt') &&
  hasAnyColumn(table, 'email', 'emailVerified', 'authData', 'sessionToken', 'ACL');
const isParseTable = (table: TableHead) => isUserTable(table) && (isAsKept(table) || isAsShown(table));

function read(record: SourceRecord, context: ReadContext): SourceUser {
  const username = textOf(record.username);
  const accounts = accountsOf(record, context);
  if (timeOf(record._account_lockout_expires_at) !== undefined) context.drop('temporary locks');
  return {
    externalUserId: textOf(record._id) ?? textOf(record.objectId),
    email: textOf(record.email) ?? (username?.includes('@') ? username : undefined),
    // A Parse user without `emailVerified` is unverified if other users have it: the server then
    // verifies addresses.
    isVerified:
      flagOf(record.emailVerified) ?? (context.table.columns.has('emailVerified') ? false : undefined),
    timeJoinedMs: timeOf(record._created_at ?? record.createdAt),
    password: selfDescribingHash(record._hashed_password),
    identities: accounts.identities,
    metadata: metadataOf(ownFields(record)),
    state: accounts.isAnonymous ? 'ANONYMOUS' : undefined,
  };
}

interface Accounts {
  identities: SourceIdentity[];
  isAnonymous: boolean;
}

function accountsOf(record: SourceRecord, context: ReadContext): Accounts {
  const accounts: Accounts = { identities: [], isAnonymous: false };
  for (const name of Object.keys(record))
    if (name.startsWith(AUTH_DATA))
      addAccount(accounts, { provider: name.slice(AUTH_DATA.length), value: record[name], context });
  if (record.authData === undefined || record.authData === null) return accounts;
  for (const [provider, value] of Object.entries(objectOf(record.authData) ?? {}))
    addAccount(accounts, { provider, value, context });
  return accounts;
}

function addAccount(
  accounts: Accounts,
  { provider, value, context }: { provider: string; value: unknown; context: ReadContext },
) {
  // A provider account that the Parse user has unlinked is still listed, with the value null.
  const data = objectOf(value);
  if (data === undefined) return;
  const userId = textOf(data.id);
  if (provider === 'anonymous') accounts.isAnonymous = true;
  else if (provider === 'mfa') context.drop('mfa');
  else if (userId === undefined) context.drop('identities without an id');
  else accounts.identities.push({ provider, userId, email: textOf(data.email) });
}

/** Fields that the application added. Fields of Parse begin with `_`. */
function ownFields(record: SourceRecord): Record<string, unknown> {
  const own: [string, unknown][] = [];
  for (const [name, value] of Object.entries(record))
    if (!name.startsWith('_') && !KNOWN.has(name)) own.push([name, value]);
  return Object.fromEntries(own);
}

function adviceOf(users: TableHead | undefined): Advice[] {
  if (users === undefined || isAsKept(users)) return [];
  return [
    {
      level: 'warn',
      text: 'The REST API and the dashboard of Parse show no hashes: everybody would need a new password. Export the collection from the database: mongoexport --collection=_User --out=_User.json, or pg_dump of the table "_User" (PostgreSQL).',
    },
  ];
}
