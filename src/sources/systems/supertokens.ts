import { isJsonObject, type JsonObject } from '../../lib/json/json-object.ts';
import type { SourceRecord } from '../containers/table.ts';
import { SIGNER_KEY } from '../fields/hashes.ts';
import { stateOf } from '../fields/states.ts';
import { timeOf } from '../fields/time.ts';
import { totpOfBase32 } from '../fields/totp.ts';
import { flagOf, listOf, objectOf, objectsOf, textOf } from '../fields/values.ts';
import type { Form, ReadContext } from '../source.ts';
import type { SourceUser } from '../source-user.ts';
import { type Join, type Row, system, type Users, words } from './declare.ts';

const PUBLIC = 'public';
/** Whether a row belongs to the public app and tenant. Cores before 4 and 5 lack these columns. */
const isPublic = ({ app_id, tenant_id }: SourceRecord) =>
  (textOf(app_id) ?? PUBLIC) === PUBLIC && (textOf(tenant_id) ?? PUBLIC) === PUBLIC;

/** Declares a join of the rows of the public app and tenant, by the id of the user. */
function publicJoin(table: string, columns: string, more: Partial<Join> = {}): Join {
  const names = columns.split(' ');
  return {
    table,
    has: `user_id ${columns}`,
    keep: (record) =>
      isPublic(record) ? Object.fromEntries(names.map((name) => [name, record[name]])) : undefined,
    ...more,
    reads: `app_id tenant_id ${columns}`,
  };
}

const WHOLE = 'Dump the whole database: pg_dump --data-only supertokens > dump.sql';

/** The login methods of a primary user, which are rows of the table of users itself. */
const members: Join = {
  table: 'all_auth_recipe_users',
  has: 'user_id recipe_id time_joined tenant_id primary_or_recipe_user_id',
  on: primaryOf,
  keep: (record) =>
    isPublic(record) && isLinked(record) ? { id: record.user_id, recipe: record.recipe_id } : undefined,
};

function primaryOf({ primary_or_recipe_user_id: primary, user_id: own }: SourceRecord): string | undefined {
  return textOf(primary) ?? textOf(own);
}

const isLinked = (record: SourceRecord) => flagOf(record.is_linked_or_is_a_primary_user) === true;

/** One user for each `primary_or_recipe_user_id`, with all accounts that are linked to it. */
const tables: Users = {
  settings: SIGNER_KEY,
  forms: { sql: 'supertokens-pg_dump', csv: 'supertokens-csv', json: 'supertokens-json' },
  table: 'all_auth_recipe_users',
  isPrefixed: true,
  has: 'user_id recipe_id time_joined',
  hasNot: 'email session_handle',
  // Newer cores also have a table app_id_to_user_id with these columns, but without a tenant.
  only: ({ columns }) => columns.has('tenant_id') || !columns.has('app_id'),
  joins: {
    members,
    passwords: publicJoin('emailpassword_users', 'email password_hash time_joined', {
      missing: `The table emailpassword_users is missing: it has all password hashes. ${WHOLE}`,
    }),
    identities: publicJoin('thirdparty_users', 'third_party_id third_party_user_id email time_joined'),
    passwordless: publicJoin('passwordless_users', 'email phone_number', { unused: 'time_joined' }),
    // In this table, and in those of metadata, roles and devices, the key of a user is the external id if there is one.
    verified: publicJoin('emailverification_verified_emails', 'email', {
      hasNot: 'tenant_id token time_joined phone_number rp_id',
      missing: `The table emailverification_verified_emails is missing: no address counts as verified. ${WHOLE}`,
    }),
    metadata: publicJoin('user_metadata', 'user_metadata'),
    roles: publicJoin('user_roles', 'role'),
    devices: publicJoin('totp_user_devices', 'device_name secret_key period skew verified', {
      has: 'user_id device_name secret_key',
      unused: 'created_at',
    }),
    mapping: publicJoin('userid_mapping', 'external_user_id', {
      has: 'supertokens_user_id external_user_id',
      unused: 'external_user_id_info',
    }),
  },
  unusedTables: `
    activity_log app_id_to_user_id bulk_import_users dashboard_users dashboard_user_sessions
    emailpassword_pswd_reset_tokens emailpassword_user_to_tenant emailverification_tokens oauth_clients
    oauth_logout_challenges oauth_m2m_tokens oauth_sessions passwordless_codes passwordless_devices
    passwordless_user_to_tenant primary_user_tenants recipe_user_account_infos recipe_user_tenants
    saml_claims session_info tenant_thirdparty_providers thirdparty_user_to_tenant totp_used_codes
    totp_users user_last_active webauthn_account_recovery_tokens webauthn_credentials
    webauthn_generated_options webauthn_user_to_tenant webauthn_users`,
  id: 'user_id',
  skip: ({ record, drop, joined }) => {
    if (!isPublic(record)) drop('other tenants');
    const own = textOf(record.user_id);
    // A user with several login methods has several rows. Only the row of the first method is read.
    return !isPublic(record) || own === undefined || accountsOf(record, own, joined)[0]?.id !== own;
  },
  user: userOf,
  reads:
    'app_id tenant_id primary_or_recipe_user_id is_linked_or_is_a_primary_user recipe_id primary_or_recipe_user_time_joined',
};

interface Account {
  id: string;
  recipe: unknown;
}

/** Returns the login methods of a user, the primary one first. It may be missing if it belongs to another tenant. */
function accountsOf(record: SourceRecord, own: string, joined: Row['joined']): readonly Account[] {
  if (!isLinked(record)) return [{ id: own, recipe: record.recipe_id }];
  const primary = primaryOf(record) ?? own;
  const linked = joined('members', primary).map(({ id, recipe }) => ({ id: textOf(id) ?? '', recipe }));
  const first = linked.findIndex(({ id }) => id === primary);
  if (first > 0) linked.unshift(...linked.splice(first, 1));
  return linked.length === 0 ? [{ id: own, recipe: record.recipe_id }] : linked;
}

const PASSWORDLESS = 'passwordless';

const externalOf = (id: string, joined: Row['joined']) =>
  textOf(joined('mapping', id)[0]?.external_user_id) ?? id;

function userOf(row: Row): Partial<SourceUser> {
  const { record, joined, drop } = row;
  const own = textOf(record.user_id) ?? '';
  const accounts = accountsOf(record, own, joined);
  const primary = primaryOf(record) ?? own;
  const external = externalOf(primary, joined);
  const roles = joined('roles', external).map(({ role }) => role);
  if (roles.length > 0) drop('roles', roles);
  const devices = joined('devices', external).filter(({ verified }) => flagOf(verified) !== false);
  if (devices.length > 0)
    drop(
      'mfa',
      devices.flatMap(({ secret_key: secret, device_name: name, period, skew }) =>
        totpOfBase32(secret, { name, period, skew }),
      ),
    );
  const methods = accounts.flatMap((account) => methodsOf(account, primary, row));
  const codes = accounts.flatMap(({ id, recipe }) =>
    recipe === PASSWORDLESS ? joined(PASSWORDLESS, id) : [],
  );
  const phones = codes.flatMap(({ phone_number }) => textOf(phone_number) ?? []);
  if (phones.length > 0) drop('phone numbers', phones);
  const [first] = methods;
  return {
    externalUserId: external,
    email: textOf(first?.email) ?? textOf(codes.find(({ email }) => textOf(email) !== undefined)?.email),
    isVerified: first?.isVerified === true,
    timeJoinedMs: timeOf(record.primary_or_recipe_user_time_joined) ?? timeOf(record.time_joined),
    loginMethods: methods.length < 2 ? methods : [{ ...first, isPrimary: true }, ...methods.slice(1)],
    metadata: objectOf(joined('metadata', external)[0]?.user_metadata),
    hasPhone: phones.length > 0,
  };
}

/** Returns the login method of an account, or an empty list if the recipe is unknown here. */
function methodsOf({ id, recipe }: Account, primary: string, { joined, nowMs }: Row): JsonObject[] {
  const table = recipe === 'emailpassword' ? 'passwords' : 'identities';
  const [found] = recipe === PASSWORDLESS ? [] : joined(table, id);
  if (found === undefined) return [];
  const external = externalOf(id, joined);
  const { email, time_joined, third_party_id: thirdPartyId, third_party_user_id: thirdPartyUserId } = found;
  const since = timeOf(time_joined);
  return [
    {
      ...(table === 'passwords'
        ? { recipeId: 'emailpassword', passwordHash: found.password_hash }
        : { recipeId: 'thirdparty', thirdPartyId, thirdPartyUserId }),
      email,
      isVerified: joined('verified', external).some((row) => row.email === email),
      ...(since !== undefined && since <= nowMs && { timeJoinedInMSSinceEpoch: since }),
      // The external id of the primary login method is that of the user.
      ...(id !== primary && { externalUserId: external }),
    },
  ];
}

/**
 * Bodies for SuperTokens' bulk import, `{"users":[{"loginMethods":[…]}]}`, or one user per line, as
 * `user-import convert` writes them. Lines may also be bodies for `/recipe/user/passwordhash/import` or
 * `/recipe/signinup`.
 */
const bulk: Form = {
  name: 'supertokens-bulk',
  hasPages: true,
  isOfAnySystem: true,
  isUsers: ({ container, first }) =>
    container === 'json' &&
    first.some(({ loginMethods }) => Array.isArray(loginMethods)) &&
    first.filter(isLine).length * 2 >= first.length,
  // `export` is in the line that ends what convert and export write.
  known: new Set(
    words(`loginMethods externalUserId userMetadata userRoles totpDevices phoneNumbers disabled export email passwordHash
      hashingAlgorithm hashingSecretId thirdPartyId thirdPartyUserId`),
  ),
  read: readBulk,
};

const isLine = ({ loginMethods, passwordHash, thirdPartyUserId }: SourceRecord) =>
  Array.isArray(loginMethods) || (passwordHash ?? thirdPartyUserId) !== undefined;

function readBulk(record: SourceRecord, context: ReadContext): SourceUser | undefined {
  if (Object.keys(record).join() === 'export') return undefined;
  const { drop } = context;
  const { externalUserId, userMetadata, userRoles, totpDevices, phoneNumbers } = record;
  const methods: readonly unknown[] = Array.isArray(record.loginMethods)
    ? record.loginMethods
    : flatMethod(record);
  if (isFilled(userRoles)) drop('roles', rolesIn(userRoles));
  if (isFilled(totpDevices)) drop('mfa', objectsOf(totpDevices));
  if (isFilled(phoneNumbers)) drop('phone numbers', listOf(phoneNumbers));
  // Invalid login methods are kept, so that the service reports what is wrong with them.
  const kept = methods.filter((method) => !isJsonObject(method) || hasPlace(method, drop));
  const primary = primaryMethod(kept.filter(isJsonObject));
  return {
    externalUserId: textOf(externalUserId),
    email: textOf(primary?.email) ?? textOf(methods.find(isJsonObject)?.email),
    isVerified: primary?.isVerified === true,
    timeJoinedMs: joinedOf(primary),
    loginMethods: kept.map(inPublic),
    metadata: isJsonObject(userMetadata) ? userMetadata : undefined,
    state: stateOf('disabled', record.disabled, 'disabled', context),
    hasPhone: methods.some((method) => isJsonObject(method) && textOf(method.phoneNumber) !== undefined),
  };
}

function flatMethod(record: SourceRecord): JsonObject[] {
  const { email, passwordHash, hashingAlgorithm, hashingSecretId, thirdPartyId, thirdPartyUserId } = record;
  if (passwordHash !== undefined)
    return [
      {
        ...{ recipeId: 'emailpassword', email, passwordHash },
        ...(hashingAlgorithm !== undefined && { hashingAlgorithm }),
        ...(hashingSecretId !== undefined && { hashingSecretId }),
      },
    ];
  if (thirdPartyId === undefined || !isJsonObject(email)) return [];
  const { id, isVerified = false } = email;
  return [{ recipeId: 'thirdparty', email: id, isVerified, thirdPartyId, thirdPartyUserId }];
}

/** Returns the names of roles in the public tenant. */
const rolesIn = (roles: unknown): unknown[] =>
  objectsOf(roles).flatMap(({ role, tenantIds }) =>
    !isFilled(tenantIds) || listOf(tenantIds).includes('public') ? [role] : [],
  );

const isFilled = (list: unknown) => Array.isArray(list) && list.length > 0;

/** Whether a login method can be imported. Passwordless ones and those of other tenants cannot, and are counted. */
function hasPlace({ recipeId, phoneNumber, tenantIds }: JsonObject, drop: ReadContext['drop']): boolean {
  if (recipeId === 'passwordless') {
    if (textOf(phoneNumber) !== undefined) drop('phone numbers', [phoneNumber]);
    return false;
  }
  if (!isFilled(tenantIds) || (tenantIds as unknown[]).includes('public')) return true;
  drop('other tenants');
  return false;
}

function inPublic(method: unknown): unknown {
  if (!isJsonObject(method) || method.tenantIds === undefined) return method;
  const { tenantIds, ...rest } = method;
  return rest;
}

/** Chooses the primary login method as the service does: the marked one, or else the oldest. */
function primaryMethod(methods: readonly JsonObject[]): JsonObject | undefined {
  const marked = methods.find(({ isPrimary }) => isPrimary === true);
  const age = (method: JsonObject) => joinedOf(method) ?? Number.MAX_SAFE_INTEGER;
  return marked ?? methods.toSorted((a, b) => age(a) - age(b))[0];
}

function joinedOf(method: JsonObject | undefined): number | undefined {
  const joined = method?.timeJoinedInMSSinceEpoch;
  return typeof joined === 'number' ? joined : undefined;
}

/** Schema: supertokens/supertokens-postgresql-plugin: src/main/java/io/supertokens/storage/postgresql/queries (2026-07) */
export const supertokens = system('supertokens', 'SuperTokens', [tables, bulk]);
