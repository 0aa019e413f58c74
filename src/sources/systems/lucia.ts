import type { JsonObject } from '../../lib/json/json-object.ts';
import type { TableHead } from '../containers/table.ts';
import { selfDescribingHash } from '../fields/hashes.ts';
import { baseName, hasAnyColumn, hasColumns } from '../fields/tables.ts';
import { isSet, textOf } from '../fields/values.ts';
import type { DetectionContext } from '../source.ts';
import type { SourcePassword } from '../source-user.ts';
import { cellOf, hasAll, hashOf, type Identity, type Row, system, type Users } from './declare.ts';

const HASH = 'hashed_password|hashedPassword|password_hash|passwordHash';
const USER_ID = 'user_id|userId';
const TWO_FACTOR = 'two_factor_secret|twoFactorSecret|totp_key|totpKey|totp_secret';
const KEYS = `id|_id ${USER_ID} hashed_password|hashedPassword`;

/** Table `user_key` or `auth_key` of Lucia 1 and 2, with keys such as `email:ada@example.com` and `github:123`. */
const isKeys = (table: TableHead) =>
  hasAll(table, KEYS) &&
  table.first.length > 0 &&
  table.first.every((record) => (textOf(cellOf(record, 'id|_id')) ?? '').includes(':'));

const USER_TABLES = ['auth_user', 'user', 'users'];

/** Files with a single table do not contain the name that Lucia gives to it. */
const isNamedAsUsers = (table: TableHead) =>
  USER_TABLES.includes(baseName(table).toLowerCase()) || (table.container !== 'sql' && table.name === '');

const S2 = /^s2:[0-9A-Za-z]{8,64}:[0-9a-f]{128}$/;

/**
 * Columns of FastAPI Users, Django or Nhost, whose databases may have a table of sessions like Lucia's, too.
 */
const OF_OTHERS = ['is_superuser', 'is_active', 'default_role'];

/** Lucia 3 has no table of keys: the hash is in the table of users, in a column whose name the app chose. */
function hasHashOfLucia(table: TableHead, around: DetectionContext | undefined): boolean {
  if (around?.isNamed === true) return true;
  if (table.columns.has('email') && table.first.some((record) => S2.test(textOf(cellOf(record, HASH)) ?? '')))
    return true;
  return (
    isNamedAsUsers(table) &&
    !hasAnyColumn(table, ...OF_OTHERS) &&
    around?.tables.some((one) => isSessions(one) || isAccountsOfGuides(one)) === true
  );
}

const SESSION_TABLES = 'session sessions user_session auth_session';

/** Sessions of Lucia 3 have three columns. Better Auth and Auth.js store tokens, too, and other systems store data. */
const isSessions = (table: TableHead) =>
  SESSION_TABLES.split(' ').includes(baseName(table).toLowerCase()) &&
  table.columns.size === 3 &&
  hasAll(table, `id ${USER_ID} expires_at|expiresAt`);

/** Provider accounts in the guides to Lucia 3 have only three columns. */
const isAccountsOfGuides = (table: TableHead) =>
  table.columns.size === 3 && hasColumns(table, 'provider_id', 'provider_user_id', 'user_id');

interface Key {
  /** Text of the id of a Lucia key before the colon, if it has one. */
  provider: string | undefined;
  userId: string | undefined;
  hash: string | undefined;
}

function keyOf({ id, hash }: JsonObject): Key {
  const text = textOf(id) ?? '';
  const colon = text.indexOf(':');
  const provider = textOf(text.slice(0, Math.max(colon, 0)));
  return { provider, userId: provider && textOf(text.slice(colon + 1)), hash: textOf(hash) };
}

const keysOf = ({ joined }: Row): Key[] => joined('keys').map(keyOf);

/** Prefixes of Lucia's keys that look like providers but are not accounts at third parties. */
const OWN_KEYS = new Set(['email', 'username', 'phone', 'phone_number']);

const identityOf = ({ provider, userId, hash }: Key): Identity[] =>
  provider === undefined || userId === undefined || hash !== undefined || OWN_KEYS.has(provider)
    ? []
    : [{ provider, userId }];

function passwordOf(row: Row): SourcePassword | undefined {
  const ofKey = keysOf(row).find(({ hash }) => hash !== undefined)?.hash;
  if (ofKey !== undefined) return familyOf(ofKey, 'lucia-v1');
  const own = textOf(cellOf(row.record, HASH));
  // Unlike the hashes of Lucia 2, those of version 3 have no prefix `s2:`.
  return own === undefined ? undefined : familyOf(own, 'lucia');
}

function familyOf(encoded: string, withoutMark: 'lucia' | 'lucia-v1'): SourcePassword | undefined {
  if (encoded.startsWith('s2:')) return hashOf('lucia', encoded);
  return encoded.includes(':') && !encoded.startsWith('$')
    ? hashOf(withoutMark, encoded)
    : selfDescribingHash(encoded);
}

const users: Omit<Users, 'forms' | 'has' | 'only'> = {
  joins: {
    keys: {
      has: KEYS,
      on: USER_ID,
      keep: `id=id|_id hash=${HASH}`,
      unused: 'primary_key primaryKey expires',
    },
    // Table `oauth_account` of the guides to Lucia 3.
    accounts: {
      has: `provider_id|providerId|provider provider_user_id|providerUserId ${USER_ID}`,
      on: USER_ID,
      keep: 'provider=provider_id|providerId|provider userId=provider_user_id|providerUserId',
      are: 'accounts',
      unused: 'id _id created_at createdAt updated_at updatedAt',
    },
  },
  unusedTables: `${SESSION_TABLES} email_verification_code email_verification_token email_verification_request password_reset_token password_reset_session`,
  id: 'id|_id',
  email: (row) =>
    textOf(row.record.email) ?? keysOf(row).find(({ provider }) => provider === 'email')?.userId,
  verified: 'email_verified|emailVerified',
  joined: 'created_at|createdAt',
  hash: passwordOf,
  identities: (row) => keysOf(row).flatMap(identityOf),
  metadata: 'username name',
  factors: ({ record }) => isSet(cellOf(record, TWO_FACTOR)),
  reads: `email ${HASH} ${TWO_FACTOR}`,
  unused: 'updated_at updatedAt',
};

/**
 * The app of Lucia chooses the columns of the users, so that all but those of its guides are asked about.
 * Schema: lucia-auth/lucia: documentation/content/reference and the guides, versions 1 to 3
 */
export const lucia = system('lucia', 'Lucia', [
  {
    ...users,

    has: 'id|_id',
    // Django has a table `auth_user`, too.
    hasNot: 'user_id userId is_superuser',
    // Any system may have such users, so the table is recognised only by a table of keys in the same export.
    only: (table, _settings, around) => isNamedAsUsers(table) && around?.tables.some(isKeys) === true,
  },
  {
    ...users,
    forms: { csv: 'lucia-v3-csv', sql: 'lucia-v3-sql', json: 'lucia-v3-json' },
    has: `id|_id ${HASH}`,
    hasNot: 'user_id userId',
    only: (table, _settings, around) => hasHashOfLucia(table, around),
  },
]);
