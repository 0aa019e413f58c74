import type { SourceRecord, TableHead } from '../containers/table.ts';
import { selfDescribingHash } from '../fields/self-describing.ts';
import { baseName, formsOf, hasAnyColumn, hasColumns } from '../fields/tables.ts';
import { timeOf } from '../fields/time.ts';
import { firstOf, flagOf, isSet, metadataOf, textOf } from '../fields/values.ts';
import type { Detail, DetectionContext, Form, ReadContext, Settings, Source } from '../source.ts';
import type { SourceIdentity, SourcePassword, SourceUser } from '../source-user.ts';

const ID = ['id', '_id'];
const USER_ID = ['user_id', 'userId'];
const HASH = ['hashed_password', 'hashedPassword', 'password_hash', 'passwordHash'];
const EMAIL_VERIFIED = ['email_verified', 'emailVerified'];
const CREATED_AT = ['created_at', 'createdAt'];
const PROVIDER = ['provider_id', 'providerId', 'provider'];
const PROVIDER_USER_ID = ['provider_user_id', 'providerUserId'];

/**
 * Table `user_key` or `auth_key` of Lucia 1 and 2, with keys such as `email:ada@example.com` and
 * `github:123`.
 */
const isKeys = (table: TableHead) =>
  hasAnyColumn(table, ...ID) &&
  hasAnyColumn(table, ...USER_ID) &&
  hasAnyColumn(table, 'hashed_password', 'hashedPassword') &&
  table.first.length > 0 &&
  table.first.every(({ id, _id }) => (textOf(id) ?? textOf(_id) ?? '').includes(':'));

const USER_TABLES = ['auth_user', 'user', 'users'];
const TWO_FACTOR = ['two_factor_secret', 'twoFactorSecret', 'totp_key', 'totpKey', 'totp_secret'];

/**
 * The app of Lucia 1 and 2 chooses the columns, so the table is recognised only by a table of keys in the
 * same export. Django has a table `auth_user`, too.
 */
function isUsersWithKeys(table: TableHead, _settings: Settings, around?: DetectionContext): boolean {
  if (!hasAnyColumn(table, ...ID) || hasAnyColumn(table, ...USER_ID) || table.columns.has('is_superuser'))
    return false;
  return isNamedAsUsers(table) && around?.tables.some(isKeys) === true;
}

/** Files with a single table do not contain the name that Lucia gives to it. */
const isNamedAsUsers = (table: TableHead) =>
  USER_TABLES.includes(baseName(table).toLowerCase()) || (table.container !== 'sql' && table.name === '');

const S2 = /^s2:[0-9A-Za-z]{8,64}:[0-9a-f]{128}$/;

/** Lucia 3 has no table of keys: the hash is in the table of users, in a column whose name the app chose. */
function isUsersWithHash(table: TableHead, _settings: Settings, around?: DetectionContext): boolean {
  const column = HASH.find((name) => table.columns.has(name));
  if (column === undefined || !hasAnyColumn(table, ...ID) || hasAnyColumn(table, ...USER_ID)) return false;
  if (around?.isNamed === true) return true;
  if (table.columns.has('email') && table.first.some((record) => S2.test(textOf(record[column]) ?? '')))
    return true;
  return (
    isNamedAsUsers(table) &&
    !hasAnyColumn(table, ...OF_OTHERS) &&
    around?.tables.some((one) => isSessions(one) || isAccountsOfGuides(one)) === true
  );
}

const SESSION_TABLES = ['session', 'sessions', 'user_session', 'auth_session'];
const EXPIRES_AT = ['expires_at', 'expiresAt'];

/**
 * Sessions of Lucia 3 have three columns. Those of Better Auth and Auth.js also have tokens, and those of
 * other systems have data.
 */
const isSessions = (table: TableHead) =>
  SESSION_TABLES.includes(baseName(table).toLowerCase()) &&
  table.columns.size === 3 &&
  table.columns.has('id') &&
  hasAnyColumn(table, ...USER_ID) &&
  hasAnyColumn(table, ...EXPIRES_AT);

/** Provider accounts in the guides to Lucia 3 have only three columns. */
const isAccountsOfGuides = (table: TableHead) =>
  table.columns.size === 3 && hasColumns(table, 'provider_id', 'provider_user_id', 'user_id');

/**
 * Columns of FastAPI Users, Django or Nhost, whose databases may have a table of sessions like Lucia's,
 * too.
 */
const OF_OTHERS = ['is_superuser', 'is_active', 'default_role'];

const keys: Detail = {
  fits: isKeys,
  keyOf: (record) => textOf(firstOf(record, USER_ID)),
  keep: (record) => ({ id: textOf(firstOf(record, ID)), hash: textOf(firstOf(record, HASH)) }),
};

/** Table `oauth_account` of the guides to Lucia 3. */
const accounts: Detail = {
  fits: (table) =>
    hasAnyColumn(table, ...PROVIDER) &&
    hasAnyColumn(table, ...PROVIDER_USER_ID) &&
    hasAnyColumn(table, ...USER_ID),
  keyOf: (record) => textOf(firstOf(record, USER_ID)),
  keep: (record) => ({
    id: `${textOf(firstOf(record, PROVIDER))}:${textOf(firstOf(record, PROVIDER_USER_ID))}`,
  }),
};

function read(record: SourceRecord, context: ReadContext): SourceUser {
  const id = textOf(firstOf(record, ID));
  const own = id === undefined ? [] : context.details('keys', id).map(keyOf);
  const ofAccounts = id === undefined ? [] : context.details('accounts', id).map(keyOf);
  const password = own.find(({ hash }) => hash !== undefined)?.hash;
  if (isSet(firstOf(record, TWO_FACTOR))) context.drop('mfa');
  return {
    externalUserId: id,
    email: textOf(record.email) ?? own.find(({ provider }) => provider === 'email')?.userId,
    isVerified: flagOf(firstOf(record, EMAIL_VERIFIED)),
    timeJoinedMs: timeOf(firstOf(record, CREATED_AT)),
    password: password === undefined ? ownHash(textOf(firstOf(record, HASH))) : hashOf(password, 'lucia-v1'),
    identities: [...own, ...ofAccounts].flatMap(identityOf),
    metadata: metadataOf({ username: record.username, name: record.name }),
  };
}

interface Key {
  /** Text of the id of a Lucia key before the colon, if it has one. */
  provider: string | undefined;
  userId: string | undefined;
  hash: string | undefined;
}

function keyOf({ id, hash }: SourceRecord): Key {
  const text = textOf(id) ?? '';
  const colon = text.indexOf(':');
  const provider = textOf(text.slice(0, Math.max(colon, 0)));
  return { provider, userId: provider && textOf(text.slice(colon + 1)), hash: textOf(hash) };
}

/** Prefixes of Lucia's keys that look like providers but are not accounts at third parties. */
const OWN_KEYS = new Set(['email', 'username', 'phone', 'phone_number']);

function identityOf({ provider, userId, hash }: Key): SourceIdentity[] {
  if (provider === undefined || userId === undefined || hash !== undefined) return [];
  return OWN_KEYS.has(provider) ? [] : [{ provider, userId }];
}

/** Unlike the hashes of Lucia 2, those of version 3 have no prefix `s2:`. */
const ownHash = (encoded: string | undefined) =>
  encoded === undefined ? undefined : hashOf(encoded, 'lucia');

function hashOf(encoded: string, withoutMark: 'lucia' | 'lucia-v1'): SourcePassword | undefined {
  if (encoded.startsWith('s2:')) return { encoded, algorithm: 'lucia' };
  return encoded.includes(':') && !encoded.startsWith('$')
    ? { encoded, algorithm: withoutMark }
    : selfDescribingHash(encoded);
}

const form: Omit<Form, 'name' | 'isUsers'> = {
  details: { keys, accounts },
  ownStates: [],
  read,
};

export const lucia: Source = {
  name: 'lucia',
  title: 'Lucia',
  forms: [
    ...formsOf(
      { csv: 'lucia-csv', sql: 'lucia-sql', json: 'lucia-json' },
      { ...form, isUsers: isUsersWithKeys },
    ),
    ...formsOf(
      { csv: 'lucia-v3-csv', sql: 'lucia-v3-sql', json: 'lucia-v3-json' },
      { ...form, isUsers: isUsersWithHash },
    ),
  ],
};
