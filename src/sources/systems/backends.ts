import type { SourceRecord, TableHead } from '../containers/table.ts';
import { selfDescribingHash } from '../fields/hashes.ts';
import { baseName, hasAnyColumn } from '../fields/tables.ts';
import { flagOf, objectOf, textOf } from '../fields/values.ts';
import type { UserState } from '../source-user.ts';
import { hasAll, type Row, system, type Users } from './declare.ts';

// Nhost

/**
 * Nhost. Supabase has a table `auth.users`, too, but with a column `encrypted_password`.
 * Schema: nhost/hasura-auth: go/sql/auth_schema_dump.sql
 */
export const nhost = system('nhost', 'Nhost', {
  forms: { sql: 'nhost-pg_dump', csv: 'nhost-csv', json: 'nhost-json' },
  table: 'users',
  has: 'id email password_hash email_verified',
  proof: 'default_role|active_mfa_type',
  hasNot: 'encrypted_password',
  joins: {
    // Identities of Nhost have no address of their own, so the user's address is used.
    providers: {
      table: 'user_providers',
      has: 'user_id provider_id provider_user_id',
      keep: 'provider=provider_id userId=provider_user_id',
      are: 'accounts',
      unused: 'id created_at updated_at access_token refresh_token',
      missing:
        'The table auth.user_providers is missing: users of social providers cannot be imported without it. Dump both tables: pg_dump --data-only -t auth.users -t auth.user_providers.',
    },
  },
  unusedTables:
    'files refresh_tokens user_roles oauth2_auth_requests oauth2_authorization_codes oauth2_refresh_tokens',
  verified: 'email_verified',
  joined: 'created_at',
  hash: 'password_hash',
  metadata: 'metadata{} display_name avatar_url locale',
  states: { disabled: 'disabled', is_anonymous: 'anonymous' },
  phone: 'phone_number',
  factors: 'active_mfa_type',
  reads: 'default_role',
  unused:
    'updated_at last_seen phone_number_verified new_email otp_method_last_used otp_hash otp_hash_expires_at totp_secret ticket ticket_expires_at webauthn_current_challenge current_challenge',
  note: {
    text: 'Roles (auth.user_roles) are not imported, because this service has none.',
    when: ({ tables }) => tables.some((table) => table.name === 'auth.user_roles'),
  },
});

// Parse Server

const AUTH_DATA = '_auth_data_';

const isAsKept = (table: TableHead) =>
  hasAnyColumn(table, '_hashed_password') ||
  (hasAll(table, '_id _created_at') && hasAnyColumn(table, '_rperm', '_wperm', '_acl'));
/** Whether a table has the columns of Parse's REST API. Backendless also has an `objectId`, but writes `created`. */
const isAsShown = (table: TableHead) =>
  hasAll(table, 'objectId createdAt updatedAt') &&
  hasAnyColumn(table, 'email', 'emailVerified', 'authData', 'sessionToken', 'ACL');

/** Returns the data of third parties by provider. They are in one column for each provider, or all in one column. */
function authDataOf(record: SourceRecord): [provider: string, data: SourceRecord][] {
  const ofColumns = Object.keys(record).flatMap((name): [string, unknown][] =>
    name.startsWith(AUTH_DATA) ? [[name.slice(AUTH_DATA.length), record[name]]] : [],
  );
  return [...ofColumns, ...Object.entries(objectOf(record.authData) ?? {})].flatMap(
    // A provider account that the user has unlinked is still listed, with the value null.
    ([provider, value]): [string, SourceRecord][] => {
      const data = objectOf(value);
      return data === undefined ? [] : [[provider, data]];
    },
  );
}

const hasAuthData = (record: SourceRecord, name: string) =>
  authDataOf(record).some(([provider]) => provider === name);
/** Names in the data of third parties that are not third parties. */
const [ANONYMOUS, MFA] = ['anonymous', 'mfa'] as const;

/** Reads the state. A user with an empty access control list cannot sign in. A list that is not set means everybody. */
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

/** Returns a user name that is an address. Parse lets people sign in with it, but has never confirmed it. */
const nameAsAddress = ({ record: { email, username } }: Row): string | undefined =>
  textOf(email) === undefined && textOf(username)?.includes('@') ? textOf(username) : undefined;

/** A user without `emailVerified` is unverified if other users have it, because the server then verifies addresses. */
function isVerified(row: Row): boolean | undefined {
  if (nameAsAddress(row) !== undefined) return false;
  return flagOf(row.record.emailVerified) ?? (row.table.columns.has('emailVerified') ? false : undefined);
}

const usersOfParse: Omit<Users, 'forms' | 'id' | 'hash' | 'unused'> = {
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
 * have no hashes. The import asks about fields that the application added. Schema: parse-community/parse-server:
 * src/Controllers/SchemaController.js, src/Adapters/Storage, src/Routers/UsersRouter.js
 */
export const parse = system('parse', 'Parse Server', [
  {
    ...usersOfParse,
    forms: { json: 'parse-mongoexport', csv: 'parse-mongoexport-csv', sql: 'parse-pg_dump' },
    only: isAsKept,
    unusedTables: '_Session',
    id: '_id|objectId',
    hash: '_hashed_password',
    unused: `${UNUSED} _updated_at _acl _email_verify_token _email_verify_token_expires_at _failed_login_count _perishable_token _perishable_token_expires_at _password_changed_at _password_history _session_token _tombstone`,
  },
  {
    ...usersOfParse,
    forms: { json: 'parse-rest', csv: 'parse-dashboard-csv' },
    hasPages: true,
    only: isAsShown,
    id: '_id|objectId',
    unused: `${UNUSED} password`,
    warning:
      'The REST API and the dashboard of Parse show no hashes: everybody would need a new password. Export the collection from the database: mongoexport --collection=_User --out=_User.json, or pg_dump of the table "_User" (PostgreSQL).',
  },
]);

// PocketBase

/** Collections of administrators, which have the same columns as those of users. */
const STAFF = ['_superusers', '_admins'];

const usersOfPocketBase = {
  joins: {
    // Before PocketBase 0.23, the columns that refer to users had other names.
    collections: {
      table: '_collections',
      has: 'name id type system',
      keep: 'id',
      unused: '*',
    },
    accounts: {
      has: 'recordRef|recordId provider providerId collectionRef|collectionId',
      keep: 'provider providerId collectionRef|collectionId',
      unused: 'id collectionName created updated',
      missing:
        'The table _externalAuths is missing. Without it social logins are lost. If usersOfPocketBase have any, dump the whole database: sqlite3 pb_data/data.db .dump > dump.sql',
    },
  },
  email: 'email',
  verified: 'verified',
  joined: 'created',
  metadata: 'name username',
  // Whoever creates a record may choose its id, so users of several collections may have the same one.
  identities: ({ table, joined, drop }) => {
    const own = joined('collections', baseName(table))[0]?.id ?? '_pb_users_auth_';
    const accounts = joined('accounts').filter(({ collectionRef }) => collectionRef === own);
    if (accounts.length < joined('accounts').length) drop('other tenants');
    return accounts.map(({ provider, providerId }) => ({ provider, userId: providerId }));
  },
} as const satisfies Partial<Users>;

/**
 * Collections with sign-in. The import asks about fields that the app added, because a rule of the collection
 * (authRule) may depend on them. Schema: pocketbase/pocketbase: migrations/1640988000_init.go,
 * core/record_model_auth.go, 0.8 to 0.40
 */
export const pocketbase = system('pocketbase', 'PocketBase', [
  {
    ...usersOfPocketBase,
    forms: { sql: 'pocketbase-sqlite-dump', csv: 'pocketbase-csv', json: 'pocketbase-json' },
    has: 'id email verified tokenKey password|passwordHash',
    only: (table) => !STAFF.includes(baseName(table).toLowerCase()),
    hash: 'password|passwordHash',
    unusedTables: '_admins _otps _superusers',
    unused: 'emailVisibility avatar updated lastResetSentAt lastVerificationSentAt lastLoginAlertSentAt',
    note: 'Users who came by OAuth2 have a random password, which is imported without harm.',
  },
  {
    ...usersOfPocketBase,
    forms: { json: 'pocketbase-api' },
    has: 'id verified collectionName',
    proof: 'emailVisibility',
    hasPages: true,
    realms: { title: 'collections', column: 'collectionName' },
    unused: 'collectionId avatar updated expand',
    warning:
      'The API of PocketBase never shows hashes. Make a dump of its database instead: sqlite3 pb_data/data.db .dump > dump.sql',
  },
]);

// Strapi

const HAS = 'username email provider confirmed blocked';
const LOCAL = 'local';

/**
 * Users of Strapi's plug-in users-permissions. The table is `up_users`, before version 4 `users-permissions_user`;
 * MongoDB has `_id`. SQLite writes times as milliseconds. Sign-in checks `blocked`, and looks for users of the provider
 * `local` only. Schema: strapi/strapi: packages/plugins/users-permissions/server/content-types/user, 3 to 5
 */
export const strapi = system('strapi', 'Strapi', {
  // Despite the name `strapi-pg_dump`, a dump of Strapi may be from any SQL database.
  forms: { sql: 'strapi-pg_dump', csv: 'strapi-csv', json: 'strapi-json' },
  table: 'up_users users-permissions_user',
  has: `id|_id ${HAS}`,
  id: 'id|_id',
  // Users whom an administrator created have the value null: their addresses were never confirmed.
  verified: 'confirmed',
  joined: 'created_at|createdAt',
  hash: ({ record: { provider, password } }) =>
    (textOf(provider) ?? LOCAL) === LOCAL ? selfDescribingHash(password) : undefined,
  metadata: 'username',
  states: { blocked: 'disabled' },
  // Strapi does not store the ids of social accounts.
  drops: { 'identities without an id': ({ record }) => (textOf(record.provider) ?? LOCAL) !== LOCAL },
  reads: 'password',
  unused:
    'document_id documentId reset_password_token resetPasswordToken confirmation_token confirmationToken updated_at updatedAt published_at publishedAt created_by_id updated_by_id created_by updated_by createdBy updatedBy locale localizations role __v',
  unusedTables:
    'admin_users admin_users_roles_links admin_users_roles_lnk files_related_morphs files_related_mph strapi_api_tokens_admin_user_owner_lnk strapi_sessions up_users_role_links up_users_role_lnk',
  warning: {
    text: 'There is no column password: the API of Strapi never shows hashes. Dump the table up_users of the database: pg_dump --data-only -t up_users.',
    when: ({ tables }) => tables.some((table) => hasAll(table, HAS) && !table.columns.has('password')),
  },
  note: {
    text: 'The table admin_users holds the staff of the CMS, who are not imported.',
    when: ({ tables }) => tables.some((table) => baseName(table) === 'admin_users'),
  },
});
