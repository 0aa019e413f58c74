import type { JsonObject } from '../../lib/json/json-object.ts';
import type { SourceRecord, TableHead } from '../containers/table.ts';
import { chosenProvider, knownThirdPartyId } from '../fields/providers.ts';
import { NO_REALM } from '../fields/realms.ts';
import { timeOf, timeOfObjectId } from '../fields/time.ts';
import { totpOfBase32 } from '../fields/totp.ts';
import { firstOf, flagOf, listOf, objectOf, objectsOf, textOf } from '../fields/values.ts';
import type { FormRealms, ReadContext, Realm } from '../source.ts';
import type { SourceIdentity } from '../source-user.ts';
import { customHash } from './auth0-custom-hash.ts';
import {
  type ConditionalText,
  hashOf,
  type Identity,
  type Join,
  type Row,
  readerOf,
  system,
  type Users,
  words,
} from './declare.ts';

const PREFIXED_ID = /^[a-z][a-z0-9-]*\|./;

/** Connections that are not third-party providers: Auth0's own passwords, codes and links. */
const OWN_CONNECTIONS: ReadonlySet<string> = new Set(['auth0', 'sms', 'email']);
/** Strategies of enterprise connections, except waad and okta, which `knownThirdPartyId` knows as public providers. */
const ENTERPRISE: ReadonlySet<string> = new Set(
  words('samlp adfs ad oidc pingfederate google-apps office365 sharepoint'),
);

/** MongoDB's ObjectId of a user, written as text or as Extended JSON. */
const objectIdOf = (record: SourceRecord): string | undefined => {
  const id = record._id ?? record._ID;
  return textOf(id) ?? textOf(objectOf(id)?.$oid);
};

/** Returns, for a record of the password export, the `user_id` that this user has in the user export. */
function idOfHash(record: SourceRecord): string | undefined {
  const id = textOf(record.alt_id) ?? objectIdOf(record);
  return id === undefined ? undefined : `auth0|${id}`;
}

const connectionOf = ({ connection }: SourceRecord): Realm => textOf(connection) ?? NO_REALM;

/** Realms of Auth0 are database connections: each has its own users, and each address only once. */
const DATABASES: Pick<FormRealms, 'title' | 'place'> = {
  title: 'database connections',
  place: 'member connection',
};

const OF_HASHES = 'connection _id _ID alt_id email email_verified identifiers';
const UNUSED_OF_HASHES =
  'tenant _tmp_is_unique password_set_date password_history_hash username phone_number phone_verified client_id ' +
  'created_at updated_at last_password_reset version __v migrated';
const isOfAuth0 = 'connection|tenant|_tmp_is_unique|password_set_date';

const addressOfHash = ({ record }: Row) => objectsOf(record.identifiers).find(({ type }) => type === 'email');

/** The export of password hashes, which Auth0's support makes on request. */
const passwordExport: Users = {
  forms: { json: 'auth0-password-export' },
  has: 'passwordHash _id|_ID|alt_id',
  proof: isOfAuth0,
  hasPages: true,
  joins: {
    users: {
      has: 'user_id',
      decides: 'states',
      missing:
        'The hash export alone has no social logins and no metadata either. Make the user export, too (extension User Import / Export, or POST /api/v2/jobs/users-exports with format json), and name both files.',
    },
  },
  realms: { ...DATABASES, of: () => connectionOf },
  id: idOfHash,
  email: (row) => textOf(row.record.email) ?? addressOfHash(row)?.value,
  verified: (row) => flagOf(row.record.email_verified) ?? flagOf(addressOfHash(row)?.verified),
  joined: ({ record }) => {
    const id = objectIdOf(record);
    return id === undefined ? undefined : timeOfObjectId(id);
  },
  hash: ({ record }) => hashOf('bcrypt', record.passwordHash),
  reads: OF_HASHES,
  unused: UNUSED_OF_HASHES,
};

/** Hashes are joined by id, because several connections may have the same address. */
const hashes: Join = {
  has: `${passwordExport.has} ${isOfAuth0}`,
  on: idOfHash,
  keep: 'passwordHash connection',
  reads: OF_HASHES,
  unused: UNUSED_OF_HASHES,
  readAlone: readerOf(passwordExport),
  realmOf: connectionOf,
  missing:
    'No export of Auth0 that you can make yourself has password hashes. Ask the support of Auth0 for the password hash export (it takes a paid plan and a PGP key), and name its file beside this one: user-import import users.json password-hashes.json',
};

/** Returns the connection of a user's hash. Undefined without a hash: social and enterprise users have no database. */
function databaseOfHash(id: string | undefined, { details }: Pick<ReadContext, 'details'>): Realm {
  const [hash] = id === undefined ? [] : details('hashes', id);
  return hash && connectionOf(hash);
}

const hashOfUser = ({ joined }: Row) => hashOf('bcrypt', joined('hashes')[0]?.passwordHash);

/** Returns the id of the Auth0 account with the password. It may be linked to another account of the same user. */
function passwordIdOf(record: SourceRecord): string | undefined {
  const id = textOf(record.user_id);
  if (id?.startsWith('auth0|') === true) return id;
  for (const { provider, user_id: userId } of objectsOf(record.identities)) {
    const own = provider === 'auth0' ? textOf(userId) : undefined;
    if (own !== undefined) return `auth0|${own}`;
  }
  return id;
}

/** Returns the connection of the Auth0 account with the password. Undefined if the export has no `identities`. */
function databaseOf(record: SourceRecord): string | undefined {
  const id = passwordIdOf(record);
  const account = objectsOf(record.identities).find(
    ({ provider, user_id: userId }) => provider === 'auth0' && `auth0|${textOf(userId)}` === id,
  );
  return textOf(account?.connection);
}

/**
 * Returns whether a record is a user of Auth0. Other systems have a `user_id` as well, but without a prefix such as
 * `auth0|`, and without identities that name a connection.
 */
function isUser({ user_id: id, identities }: SourceRecord): boolean {
  if (PREFIXED_ID.test(textOf(id) ?? '')) return true;
  const [identity] = objectsOf(identities);
  return identity !== undefined && 'provider' in identity && 'connection' in identity;
}

const isOfMost = (table: TableHead, is: (record: SourceRecord) => boolean) =>
  table.first.length > 0 && table.first.filter(is).length * 2 >= table.first.length;

interface Address {
  email?: unknown;
  email_verified?: unknown;
}

/**
 * Returns the object with the address of the account with the password, if this account is linked to another one.
 * The address at the root of the record then belongs to the other account.
 */
function ownAddress({ user_id: id, identities }: SourceRecord): Address | undefined {
  if (typeof id === 'string' && id.startsWith('auth0|')) return undefined;
  const linked = objectsOf(identities).find(({ provider }) => provider === 'auth0');
  return addressIn(linked);
}

function addressIn(account: JsonObject | undefined): Address | undefined {
  const profile = objectOf(account?.profileData);
  return textOf(profile?.email) === undefined ? undefined : profile;
}

/** Returns the accounts of a user at sign-in providers. An account without an address has that of the user. */
function identitiesOf({ record }: Row): Identity[] {
  if (record.identities === undefined) return identityOfId(textOf(record.user_id));
  const root: Address | undefined = ownAddress(record) === undefined ? undefined : record;
  return objectsOf(record.identities).flatMap((account): Identity[] => {
    const provider = textOf(account.provider);
    if (provider === undefined || OWN_CONNECTIONS.has(provider)) return [];
    const userId = textOf(account.user_id);
    if (userId === undefined) return [{ provider, userId }];
    return [identityOf(provider, userId, textOf(account.connection), addressIn(account) ?? root)];
  });
}

/** Derives the identity from the user id, for exports without `identities`: `google-oauth2|1`, `samlp|corp|1`. */
function identityOfId(id: string | undefined, named?: string): SourceIdentity[] {
  const [, provider, userId] = /^([^|]+)\|(.+)$/s.exec(id ?? '') ?? [];
  if (provider === undefined || userId === undefined || OWN_CONNECTIONS.has(provider)) return [];
  return [identityOf(provider, userId, named ?? /^([^|]+)\|/.exec(userId)?.[1])];
}

/**
 * @param provider Auth0's strategy, such as `google-oauth2` or `samlp`
 * @param connection name of the connection in Auth0's settings. SAML and OIDC may have several
 */
function identityOf(
  provider: string,
  userId: string,
  connection: string | undefined,
  address?: Address,
): SourceIdentity {
  const one = { userId, email: textOf(address?.email), isVerified: flagOf(address?.email_verified) };
  if (knownThirdPartyId(provider) !== undefined) return { provider, ...one };
  if (ENTERPRISE.has(provider)) return { provider: connection ?? provider, ...one, isSso: true };
  const isCustom = provider === 'oauth2' || provider === 'custom';
  return { isSso: false, ...chosenProvider(isCustom ? (connection ?? provider) : provider), ...one };
}

const hasSms = ({ user_id: id, identities }: SourceRecord): boolean =>
  (typeof id === 'string' && id.startsWith('sms|')) ||
  objectsOf(identities).some(({ provider }) => provider === 'sms');

const PROFILE = 'username name given_name family_name nickname picture';
const METADATA = `user_metadata{} app_metadata{} ${PROFILE}`;
/** Members that the profile of a provider may bring (OpenID Connect). */
const CLAIMS =
  'sub gender locale middle_name preferred_username profile website birthdate zoneinfo address phone_verified phone_number_verified';
const UNUSED =
  'updated_at last_login last_ip logins_count last_password_reset blocked_for multifactor_last_modified ' +
  'guardian_enrollments enrollments clientID global_client_id organizations';

const userExport: Users = {
  forms: { json: 'auth0-ndjson' },
  has: 'user_id',
  hasNot: 'custom_password_hash password_hash',
  only: (table) => isOfMost(table, isUser),
  hasPages: true,
  joins: { hashes },
  key: passwordIdOf,
  realms: {
    ...DATABASES,
    of: (context) => (record) => databaseOf(record) ?? databaseOfHash(passwordIdOf(record), context),
  },
  id: 'user_id',
  email: ({ record }) => (ownAddress(record) ?? record).email,
  verified: ({ record }) => flagOf((ownAddress(record) ?? record).email_verified),
  joined: 'created_at',
  hash: hashOfUser,
  identities: identitiesOf,
  metadata: METADATA,
  states: { blocked: 'disabled' },
  isSparse: true,
  factors: ({ record }) =>
    listOf(record.multifactor).length > 0 || listOf(record.guardian_authenticators).length > 0,
  phone: 'phone_number',
  user: ({ record }) => (hasSms(record) ? { hasPhone: true } : {}),
  reads: 'email email_verified identities multifactor guardian_authenticators',
  unused: `${CLAIMS} ${UNUSED}`,
  note: noneBlocked('blocked'),
};

/** Names of columns in exports of the dashboard and of the export extension: their titles, or the names of fields. */
const TITLES = {
  id: ['Id', 'user_id', 'User ID'],
  email: ['Email', 'email'],
  verified: ['Email Verified', 'email_verified'],
  connection: ['Connection', 'connection', 'identities[0].connection'],
  phone: ['Phone Number', 'phone_number'],
  joined: ['Created At', 'created_at'],
  username: ['Username', 'username'],
  name: ['Name', 'name'],
  given_name: ['Given Name', 'given_name'],
  family_name: ['Family Name', 'family_name'],
  nickname: ['Nickname', 'nickname'],
  picture: ['Picture', 'picture'],
} as const;
const FLAT_UNUSED =
  'Updated At,updated_at,Last Login,last_login,Last IP,last_ip,Logins Count,logins_count,Last Password Reset,last_password_reset,' +
  'Phone Verified,phone_verified,Locale,locale';
type Title = keyof typeof TITLES;

/** Reads a cell. CSV of Auth0 has an apostrophe before each text, so that spreadsheets do not execute formulas. */
function flatCell(record: SourceRecord, title: Title, { container }: TableHead): string | undefined {
  const text = textOf(firstOf(record, TITLES[title]));
  return container === 'csv' && text?.startsWith("'") === true ? text.slice(1) || undefined : text;
}

const flatId = (record: SourceRecord) => textOf(firstOf(record, TITLES.id))?.replace(/^'/, '');

/** Declares exports of the dashboard and of the export extension, in which the fields of users have other names. */
const flatExport = (name: string, container: 'csv' | 'json'): Users => {
  const cell = ({ record, table }: Row, title: Title) => flatCell(record, title, table);
  return {
    forms: { [container]: name },
    hasPages: true,
    has: '',
    only: ({ columns, first }) => {
      const ids = first.flatMap((record) => flatId(record) ?? []);
      const hasAny = [...TITLES.email, ...TITLES.verified, ...TITLES.connection].some((one) =>
        columns.has(one),
      );
      return hasAny && ids.length > 0 && ids.every((id) => PREFIXED_ID.test(id));
    },
    joins: { hashes },
    realms: {
      ...DATABASES,
      of: (context) => (record) => {
        const id = flatId(record);
        return id?.startsWith('auth0|') === true
          ? (flatCell(record, 'connection', context.table) ?? databaseOfHash(id, context))
          : undefined;
      },
    },
    id: flatId,
    email: (row) => cell(row, 'email'),
    verified: ({ record }) => flagOf(firstOf(record, TITLES.verified)),
    joined: (row) => timeOf(cell(row, 'joined')),
    hash: hashOfUser,
    identities: (row) => identityOfId(flatId(row.record), cell(row, 'connection')),
    metadata: (row) => Object.fromEntries(words(PROFILE).map((title) => [title, cell(row, title as Title)])),
    states: { 'Blocked|blocked': 'disabled' },
    mayLack: { 'Blocked|blocked': 'exists only if it was exported' },
    phone: (row) => [cell(row, 'phone')],
    user: ({ record }) => (flatId(record)?.startsWith('sms|') ? { hasPhone: true } : {}),
    unused: [...Object.values(TITLES).flat(), ...FLAT_UNUSED.split(',')],
    note: [
      'This file has one login of each user. Accounts that are linked to it, and metadata, are only in the export as JSON (POST /api/v2/jobs/users-exports with format json).',
      noneBlocked('Blocked', 'blocked'),
    ],
  };
};

function noneBlocked(...names: readonly string[]): ConditionalText {
  return {
    text: 'None of the first users is blocked. The field `blocked` exists only if it was exported: without it, blocked users are imported like all others.',
    when: ({ has }) => !has(...names),
  };
}

/** Files for Auth0's bulk import, as made by somebody who once moved to Auth0. */
const importSchema: Users = {
  forms: { json: 'auth0-import-schema' },
  has: 'email custom_password_hash|password_hash',
  only: isImport,
  id: 'user_id',
  verified: ({ record }) => flagOf(record.email_verified),
  hash: ({ record }) =>
    record.custom_password_hash === undefined || record.custom_password_hash === null
      ? hashOf('bcrypt', record.password_hash)
      : customHash(objectOf(record.custom_password_hash)),
  metadata: METADATA,
  states: { blocked: 'disabled' },
  isSparse: true,
  factors: ({ record }) =>
    listOf(record.mfa_factors).length > 0 &&
    objectsOf(record.mfa_factors).flatMap(({ totp }) => totpOfBase32(objectOf(totp)?.secret)),
  user: ({ record, drop }) => {
    const own = textOf(record.phone_number);
    const phones = objectsOf(record.mfa_factors).flatMap(({ phone }) => textOf(objectOf(phone)?.value) ?? []);
    if (own !== undefined) drop('phone numbers', [own]);
    else if (phones.length > 0) drop('phone numbers', phones);
    return { hasPhone: own !== undefined };
  },
  reads: 'email_verified custom_password_hash password_hash mfa_factors phone_number',
  unused: 'phone_verified created_at updated_at',
  warning: [
    {
      text: 'The first users have neither password_hash nor custom_password_hash.',
      when: ({ records }) => !records.some(hasHash),
    },
    {
      text: 'These passwords were hashed in another encoding than UTF-8. Users whose passwords go beyond ASCII need a new one.',
      when: ({ records }) => records.some(hasOtherEncoding),
    },
  ],
};

function isImport({ columns, first }: TableHead): boolean {
  if (columns.has('custom_password_hash')) return true;
  const isOwn = ['email_verified', 'user_metadata', 'app_metadata'].some((name) => columns.has(name));
  return (
    isOwn &&
    first.every(({ password_hash: hash }) => hash === undefined || /^\$2[aby]\$/.test(textOf(hash) ?? ''))
  );
}

const hasHash = ({ custom_password_hash: custom, password_hash: hash }: SourceRecord): boolean =>
  objectOf(custom) !== undefined || textOf(hash) !== undefined;

const hasOtherEncoding = ({ custom_password_hash: custom }: SourceRecord): boolean => {
  const encoding = textOf(objectOf(objectOf(custom)?.password)?.encoding);
  return encoding === 'latin1' || encoding === 'binary' || encoding === 'ascii';
};

/** Schema: auth0/node-auth0: src/management (users, jobs), and the schema of Auth0's bulk import */
export const auth0 = system('auth0', 'Auth0', [
  userExport,
  flatExport('auth0-dashboard-ndjson', 'json'),
  flatExport('auth0-csv', 'csv'),
  importSchema,
  passwordExport,
]);
