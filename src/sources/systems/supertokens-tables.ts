import type { JsonObject } from '../../lib/json/json-object.ts';
import type { SourceRecord, TableHead } from '../containers/table.ts';
import { formsOf, hasAnyColumn, hasColumns } from '../fields/tables.ts';
import { timeOf } from '../fields/time.ts';
import { totpOfBase32 } from '../fields/totp.ts';
import { flagOf, objectOf, textOf } from '../fields/values.ts';
import type { Detail, Form, FoundDetails, ReadContext } from '../source.ts';
import type { SourceUser } from '../source-user.ts';

const PUBLIC = 'public';
/**
 * Returns whether a row belongs to the public app and tenant. SuperTokens cores before 4 and 5 lack these
 * columns.
 */
const isPublic = ({ app_id, tenant_id }: SourceRecord) =>
  (textOf(app_id) ?? PUBLIC) === PUBLIC && (textOf(tenant_id) ?? PUBLIC) === PUBLIC;

/** @param key column of the user id in a table of SuperTokens */
const detailBy = (key: string, detail: Omit<Detail, 'keyOf'>): Detail => ({
  ...detail,
  keyOf: (record) => textOf(record[key]),
  keep: (record) => (isPublic(record) ? detail.keep(record) : undefined),
});

const passwords = detailBy('user_id', {
  fits: (table) => hasColumns(table, 'user_id', 'email', 'password_hash', 'time_joined'),
  keep: ({ email, password_hash, time_joined }) => ({ email, password_hash, time_joined }),
  missing:
    'The table emailpassword_users is missing: it has all password hashes. Dump the whole database: pg_dump --data-only supertokens > dump.sql',
});

const identities = detailBy('user_id', {
  fits: (table) => hasColumns(table, 'user_id', 'third_party_id', 'third_party_user_id', 'email'),
  keep: ({ third_party_id, third_party_user_id, email, time_joined }) => ({
    third_party_id,
    third_party_user_id,
    email,
    time_joined,
  }),
});

const passwordless = detailBy('user_id', {
  fits: (table) => hasColumns(table, 'user_id', 'email', 'phone_number', 'time_joined'),
  keep: ({ email, phone_number }) => ({ email, phone_number }),
});

/**
 * Like metadata, roles and devices, verified addresses of SuperTokens are keyed by the external id if the
 * user has one.
 */
const verified = detailBy('user_id', {
  fits: ({ container, name, columns }) =>
    columns.has('user_id') &&
    columns.has('email') &&
    (container === 'sql' ? name.endsWith('emailverification_verified_emails') : columns.size <= 3),
  keep: ({ email }) => ({ email }),
  missing:
    'The table emailverification_verified_emails is missing: no address counts as verified. Dump the whole database: pg_dump --data-only supertokens > dump.sql',
});

const metadata = detailBy('user_id', {
  fits: (table) => hasColumns(table, 'user_id', 'user_metadata'),
  keep: ({ user_metadata }) => objectOf(user_metadata),
});

const roles = detailBy('user_id', {
  fits: (table) => hasColumns(table, 'user_id', 'role') && table.columns.size <= 4,
  keep: ({ role }) => ({ role }),
});

const devices = detailBy('user_id', {
  fits: (table) => hasColumns(table, 'user_id', 'device_name', 'secret_key'),
  keep: ({ device_name, secret_key, period, skew }) => ({
    name: device_name,
    secret: secret_key,
    period,
    skew,
  }),
});

const mapping = detailBy('supertokens_user_id', {
  fits: (table) => hasColumns(table, 'supertokens_user_id', 'external_user_id'),
  keep: ({ external_user_id }) => ({ external: textOf(external_user_id) }),
});

const isUsers = (table: TableHead) =>
  hasColumns(table, 'user_id', 'recipe_id', 'time_joined') && !hasAnyColumn(table, 'email', 'session_handle');

const primaryOf = ({ primary_or_recipe_user_id, user_id }: SourceRecord) =>
  textOf(primary_or_recipe_user_id) ?? textOf(user_id);

const isLinked = (record: SourceRecord) => flagOf(record.is_linked_or_is_a_primary_user) === true;

/** Login methods of a primary user of SuperTokens are in the same table as the users. */
const members: Detail = {
  fits: (table) => isUsers(table) && table.columns.has('primary_or_recipe_user_id'),
  keyOf: primaryOf,
  keep: (record) =>
    isPublic(record) && isLinked(record) ? { id: record.user_id, recipe: record.recipe_id } : undefined,
};

interface Account {
  id: string;
  recipe: unknown;
}

/** The primary login method comes first. It may be missing if it belongs to another tenant. */
function accountsOf(record: SourceRecord, own: string, details: FoundDetails): readonly Account[] {
  if (!isLinked(record)) return [{ id: own, recipe: record.recipe_id }];
  const primary = primaryOf(record) ?? own;
  const linked = details('members', primary).flatMap(({ id, recipe }) => ({ id: textOf(id) ?? '', recipe }));
  const first = linked.findIndex(({ id }) => id === primary);
  if (first > 0) linked.unshift(...linked.splice(first, 1));
  return linked.length === 0 ? [{ id: own, recipe: record.recipe_id }] : linked;
}

function read(record: SourceRecord, context: ReadContext): SourceUser | undefined {
  const { details, drop } = context;
  const own = textOf(record.user_id);
  if (!isPublic(record)) drop('other tenants');
  if (!isPublic(record) || own === undefined) return undefined;
  const accounts = accountsOf(record, own, details);
  // A SuperTokens user with several login methods has several rows, and is read with that of the first
  // method.
  if (accounts[0]?.id !== own) return undefined;
  const primary = primaryOf(record) ?? own;
  const external = externalOf(primary, details);
  const roles = details('roles', external);
  const devices = details('devices', external);
  if (roles.length > 0)
    drop(
      'roles',
      roles.map(({ role }) => role),
    );
  if (devices.length > 0)
    drop(
      'mfa',
      devices.flatMap(({ secret, name, period, skew }) => totpOfBase32(secret, { name, period, skew })),
    );
  const methods = accounts.flatMap((account) => methodsOf(account, primary, context));
  const codes = accounts.flatMap(({ id, recipe }) =>
    recipe === PASSWORDLESS ? details(PASSWORDLESS, id) : [],
  );
  const hasPhone = codes.some(({ phone_number }) => textOf(phone_number) !== undefined);
  if (hasPhone)
    drop(
      'phone numbers',
      codes.map(({ phone_number }) => phone_number),
    );
  const [first] = methods;
  return {
    externalUserId: external,
    email: textOf(first?.email) ?? textOf(codes.find(({ email }) => textOf(email) !== undefined)?.email),
    isVerified: first?.isVerified === true,
    timeJoinedMs: timeOf(record.primary_or_recipe_user_time_joined) ?? timeOf(record.time_joined),
    loginMethods: methods.length < 2 ? methods : [{ ...first, isPrimary: true }, ...methods.slice(1)],
    metadata: objectOf(details('metadata', external)[0]),
    hasPhone,
  };
}

const PASSWORDLESS = 'passwordless';

const externalOf = (id: string, details: FoundDetails) => textOf(details('mapping', id)[0]?.external) ?? id;

/** Returns an empty list if the recipe is unknown here. */
function methodsOf({ id, recipe }: Account, primary: string, { details, nowMs }: ReadContext): JsonObject[] {
  const table = recipe === 'emailpassword' ? 'passwords' : 'identities';
  const [found] = recipe === PASSWORDLESS ? [] : details(table, id);
  if (found === undefined) return [];
  const external = externalOf(id, details);
  const { email, time_joined } = found;
  const joined = timeOf(time_joined);
  const common: JsonObject = {
    email,
    isVerified: details('verified', external).some((row) => row.email === email),
    ...(joined !== undefined && joined <= nowMs && { timeJoinedInMSSinceEpoch: joined }),
    // The external id of the primary login method is that of the user.
    ...(id !== primary && { externalUserId: external }),
  };
  if (table === 'passwords') {
    return [{ recipeId: 'emailpassword', passwordHash: found.password_hash, ...common }];
  }
  const { third_party_id, third_party_user_id } = found;
  return [
    {
      recipeId: 'thirdparty',
      thirdPartyId: third_party_id,
      thirdPartyUserId: third_party_user_id,
      ...common,
    },
  ];
}

/** SuperTokens' database, with one user for each `primary_or_recipe_user_id` of `all_auth_recipe_users`. */
export const SUPERTOKENS_TABLES: readonly Form[] = formsOf(
  { sql: 'supertokens-pg_dump', csv: 'supertokens-csv', json: 'supertokens-json' },
  {
    isUsers,
    details: { members, passwords, identities, passwordless, verified, metadata, roles, devices, mapping },
    read,
  },
);
