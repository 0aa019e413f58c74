import type { JsonObject } from '../../imports/input/json-object.ts';
import type { SourceRecord, TableHead } from '../containers/table.ts';
import { hasAll, hasAny } from '../fields/columns.ts';
import { modularHash } from '../fields/hashes.ts';
import { timeOf } from '../fields/time.ts';
import { flagOf, objectOf, textOf } from '../fields/values.ts';
import type { Detail, Form, FoundDetails, ReadContext } from '../source.ts';
import type { SourceUser } from '../source-user.ts';
import { formsOf } from './forms-of.ts';

const PUBLIC = 'public';
/** Cores before 4 and 5 have no such columns: there was one app and one tenant. */
const isPublic = ({ app_id, tenant_id }: SourceRecord) =>
  (textOf(app_id) ?? PUBLIC) === PUBLIC && (textOf(tenant_id) ?? PUBLIC) === PUBLIC;

/** A table of which records are found by the id of a user. */
const detailBy = (key: string, detail: Omit<Detail, 'keyOf'>): Detail => ({
  ...detail,
  keyOf: (record) => textOf(record[key]),
  keep: (record) => (isPublic(record) ? detail.keep(record) : undefined),
});

const passwords = detailBy('user_id', {
  fits: (table) => hasAll(table, 'user_id', 'email', 'password_hash', 'time_joined'),
  keep: ({ email, password_hash, time_joined }) => ({ email, password_hash, time_joined }),
  missing: 'The table emailpassword_users is missing: it has all password hashes.',
});

const identities = detailBy('user_id', {
  fits: (table) => hasAll(table, 'user_id', 'third_party_id', 'third_party_user_id', 'email'),
  keep: ({ third_party_id, third_party_user_id, email, time_joined }) => ({
    third_party_id,
    third_party_user_id,
    email,
    time_joined,
  }),
});

const passwordless = detailBy('user_id', {
  fits: (table) => hasAll(table, 'user_id', 'email', 'phone_number', 'time_joined'),
  keep: ({ email, phone_number }) => ({ email, phone_number }),
});

/** Keyed by the external id where there is a mapping, as are metadata, roles and devices. */
const verified = detailBy('user_id', {
  fits: ({ container, name, columns }) =>
    columns.has('user_id') &&
    columns.has('email') &&
    (container === 'sql' ? name.endsWith('emailverification_verified_emails') : columns.size <= 3),
  keep: ({ email }) => ({ email }),
  missing: 'The table emailverification_verified_emails is missing: no address counts as verified.',
});

const metadata = detailBy('user_id', {
  fits: (table) => hasAll(table, 'user_id', 'user_metadata'),
  keep: ({ user_metadata }) => objectOf(user_metadata),
});

const roles = detailBy('user_id', {
  fits: (table) => hasAll(table, 'user_id', 'role') && table.name.endsWith('user_roles'),
  keep: () => ({}),
});

const devices = detailBy('user_id', {
  fits: (table) => hasAll(table, 'user_id', 'device_name', 'secret_key'),
  keep: () => ({}),
});

const mapping = detailBy('supertokens_user_id', {
  fits: (table) => hasAll(table, 'supertokens_user_id', 'external_user_id'),
  keep: ({ external_user_id }) => ({ external: textOf(external_user_id) }),
});

const isUsers = (table: TableHead) =>
  hasAll(table, 'user_id', 'recipe_id', 'time_joined') && !hasAny(table, 'email', 'session_handle');

const primaryOf = ({ primary_or_recipe_user_id, user_id }: SourceRecord) =>
  textOf(primary_or_recipe_user_id) ?? textOf(user_id);

/** Accounts that are linked: those whose primary one is another. */
const members: Detail = {
  fits: (table) => isUsers(table) && table.columns.has('primary_or_recipe_user_id'),
  keyOf: primaryOf,
  keep: (record) =>
    isPublic(record) && flagOf(record.is_linked_or_is_a_primary_user) === true
      ? { id: textOf(record.user_id) }
      : undefined,
};

/** The accounts of a user, the primary one first. */
function accountsOf(primary: string, details: FoundDetails): readonly string[] {
  const linked = details('members', primary).flatMap(({ id }) => textOf(id) ?? []);
  if (linked.length === 0) return [primary];
  // It may belong to another tenant, where the others do not.
  return [...new Set([...(linked.includes(primary) ? [primary] : []), ...linked])];
}

const externalOf = (id: string, details: FoundDetails) => textOf(details('mapping', id)[0]?.external);

function furtherKeys(record: SourceRecord, found: FoundDetails): readonly string[] {
  const primary = primaryOf(record);
  if (primary === undefined) return [];
  const accounts = accountsOf(primary, found);
  const keys = [...accounts, ...[primary, ...accounts].flatMap((id) => externalOf(id, found) ?? [])];
  return keys.filter((key) => key !== primary);
}

function read(record: SourceRecord, context: ReadContext): SourceUser | undefined {
  const { details, drop } = context;
  if (!isPublic(record)) drop('other tenants');
  const [id, primary] = [textOf(record.user_id), primaryOf(record)];
  if (!isPublic(record) || id === undefined || primary === undefined) return undefined;
  const accounts = accountsOf(primary, details);
  // One that is linked is part of the row of the first.
  if (accounts[0] !== id) return undefined;
  const external = externalOf(primary, details) ?? primary;
  for (const table of ['roles', 'devices'] as const) {
    if (details(table, external).length > 0) drop(table === 'roles' ? 'roles' : 'mfa');
  }
  const others = accounts.flatMap((account) => details('passwordless', account));
  const hasPhone = others.some(({ phone_number }) => textOf(phone_number) !== undefined);
  if (hasPhone) drop('phone numbers');
  const methods = accounts.flatMap((account) => methodsOf(account, primary, context));
  const [first] = methods;
  return {
    externalUserId: external,
    email:
      textOf(first?.email) ?? others.map(({ email }) => textOf(email)).find((email) => email !== undefined),
    isVerified: first?.isVerified === true,
    timeJoinedMs: timeOf(record.primary_or_recipe_user_time_joined) ?? timeOf(record.time_joined),
    loginMethods: methods.length < 2 ? methods : [{ ...first, isPrimary: true }, ...methods.slice(1)],
    metadata: objectOf(details('metadata', external)[0]),
    hasPhone,
  };
}

/** The login methods of one account, in the user form: it is one, in whichever table it stands. */
function methodsOf(account: string, primary: string, { details, nowMs }: ReadContext): JsonObject[] {
  const external = externalOf(account, details) ?? account;
  const verifiedEmails = details('verified', external).map(({ email }) => email);
  const common = ({ email, time_joined }: JsonObject): JsonObject => {
    const joined = timeOf(time_joined);
    return {
      email,
      isVerified: verifiedEmails.includes(email),
      ...(joined !== undefined && joined <= nowMs && { timeJoinedInMSSinceEpoch: joined }),
      // That of the primary one is the user's.
      ...(account !== primary && { externalUserId: external }),
    };
  };
  return [
    ...details('passwords', account).flatMap((found) => passwordMethod(found, common(found))),
    ...details('identities', account).map((found) => ({
      recipeId: 'thirdparty',
      thirdPartyId: found.third_party_id,
      thirdPartyUserId: found.third_party_user_id,
      ...common(found),
    })),
  ];
}

function passwordMethod({ password_hash }: JsonObject, common: JsonObject): JsonObject[] {
  const passwordHash = textOf(password_hash);
  if (passwordHash === undefined) return [];
  const hash = modularHash(passwordHash);
  const algorithm = 'algorithm' in hash ? { hashingAlgorithm: hash.algorithm } : {};
  return [{ recipeId: 'emailpassword', passwordHash, ...algorithm, ...common }];
}

/** One user for each `primary_or_recipe_user_id` of `all_auth_recipe_users`. */
export const SUPERTOKENS_TABLES: readonly Form[] = formsOf(
  { sql: 'supertokens-pg_dump', csv: 'supertokens-csv', json: 'supertokens-json' },
  {
    isUsers,
    details: { members, passwords, identities, passwordless, verified, metadata, roles, devices, mapping },
    keyOf: primaryOf,
    furtherKeys,
    read,
  },
);
