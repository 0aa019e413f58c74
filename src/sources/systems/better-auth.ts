import type { SourceRecord, TableHead } from '../containers/table.ts';
import { holdsFlags } from '../fields/holds-flags.ts';
import { type ReadState, stateOfFlag } from '../fields/read-state.ts';
import { selfDescribingHash } from '../fields/self-describing.ts';
import { formsOf, hasAnyColumn, hasColumns } from '../fields/tables.ts';
import { timeOf, timeOfObjectId } from '../fields/time.ts';
import { firstOf, flagOf, metadataOf, textOf } from '../fields/values.ts';
import type { Detail, DetectionContext, ReadContext, Settings, Source } from '../source.ts';
import type { SourceIdentity, SourcePassword, SourceUser } from '../source-user.ts';

/**
 * Better Auth uses camel case; database adapters such as Drizzle often have snake case. MongoDB calls the
 * id `_id`.
 */
const ID = ['id', '_id'];
const USER_ID = ['userId', 'user_id'];
const PROVIDER_ID = ['providerId', 'provider_id'];
const ACCOUNT_ID = ['accountId', 'account_id'];
const EMAIL_VERIFIED = ['emailVerified', 'email_verified'];
const CREATED_AT = ['createdAt', 'created_at'];
const BAN_EXPIRES = ['banExpires', 'ban_expires'];
const PHONE_NUMBER = ['phoneNumber', 'phone_number'];
const IS_ANONYMOUS = ['isAnonymous', 'is_anonymous'];
const TWO_FACTOR = ['twoFactorEnabled', 'two_factor_enabled'];
/** Role that Better Auth's plugin `admin` gives to every user, and that is therefore no loss. */
const NO_ROLE = 'user';

const isAccounts = (table: TableHead) =>
  hasAnyColumn(table, ...ACCOUNT_ID) &&
  hasAnyColumn(table, ...PROVIDER_ID) &&
  hasAnyColumn(table, ...USER_ID);

/** Auth.js has a time where Better Auth has a boolean. */
function isUsers(table: TableHead, _settings: Settings, around?: DetectionContext): boolean {
  const verified = EMAIL_VERIFIED.find((name) => table.columns.has(name));
  if (verified === undefined || !hasColumns(table, 'email') || !hasAnyColumn(table, ...ID)) return false;
  if (holdsFlags(table, verified) === false) return false;
  if (around?.isNamed === true) return true;
  if (!hasAnyColumn(table, ...CREATED_AT) || hasAnyColumn(table, 'password', 'passwordHash', 'objectId'))
    return false;
  if (holdsFlags(table, verified) === undefined && table.first.length > 0) return false;
  return looksWhole(table) || around?.tables.some(isAccounts) === true;
}

const looksWhole = (table: TableHead) =>
  hasColumns(table, 'name', 'image') && hasAnyColumn(table, 'updatedAt', 'updated_at');

const accounts: Detail = {
  fits: isAccounts,
  keyOf: (record) => textOf(firstOf(record, USER_ID)),
  keep: (record) => ({
    provider: firstOf(record, PROVIDER_ID),
    id: firstOf(record, ACCOUNT_ID),
    password: record.password,
  }),
  missing:
    'The table account is missing. All password hashes and social logins stand in it, so nobody can be imported without it. Export both: pg_dump --data-only -t user -t account DATABASE > dump.sql',
};

function read(record: SourceRecord, { nowMs, settings, details, drop }: ReadContext): SourceUser {
  const id = textOf(firstOf(record, ID));
  const own = id === undefined ? [] : details('accounts', id);
  const hasPhone = textOf(firstOf(record, PHONE_NUMBER)) !== undefined;
  if (hasPhone) drop('phone numbers', [firstOf(record, PHONE_NUMBER)]);
  if (flagOf(firstOf(record, TWO_FACTOR)) === true) drop('mfa');
  const role = textOf(record.role);
  if (role !== undefined && role !== NO_ROLE) drop('roles', [role]);
  return {
    externalUserId: id,
    email: textOf(record.email),
    isVerified: flagOf(firstOf(record, EMAIL_VERIFIED)),
    timeJoinedMs: timeOf(firstOf(record, CREATED_AT)) ?? timeOfObjectId(textOf(record._id) ?? ''),
    password: passwordOf(own),
    identities: own.flatMap(identityOf),
    metadata: metadataOf({ name: record.name, image: record.image, username: record.username }),
    state: stateOf(record, { nowMs, settings }),
    hasPhone,
  };
}

function stateOf(
  record: SourceRecord,
  { nowMs, settings }: Pick<ReadContext, 'nowMs' | 'settings'>,
): ReadState {
  if (flagOf(firstOf(record, IS_ANONYMOUS)) === true) return 'ANONYMOUS';
  const state = stateOfFlag('banned', record.banned, true, settings);
  if (state !== 'DISABLED') return state;
  const until = timeOf(firstOf(record, BAN_EXPIRES));
  return until === undefined || until > nowMs ? 'DISABLED' : undefined;
}

const CREDENTIAL = 'credential';

function passwordOf(accounts: readonly SourceRecord[]): SourcePassword | undefined {
  const credential = accounts.find(
    ({ provider, password }) => provider === CREDENTIAL && textOf(password) !== undefined,
  );
  const encoded = textOf(credential?.password);
  if (encoded === undefined) return undefined;
  // Custom hashers of Better Auth mostly use bcrypt or argon2. A colon in the hash shows the built-in
  // hasher.
  return encoded.includes(':') && !encoded.startsWith('$')
    ? { encoded, algorithm: 'better-auth' }
    : selfDescribingHash(encoded);
}

function identityOf(account: SourceRecord): SourceIdentity[] {
  const [provider, userId] = [textOf(account.provider), textOf(account.id)];
  if (provider === undefined || userId === undefined || provider === CREDENTIAL) return [];
  return [{ provider, userId }];
}

export const betterAuth: Source = {
  name: 'better-auth',
  title: 'Better Auth',
  forms: formsOf(
    { json: 'better-auth-json', csv: 'better-auth-csv', sql: 'better-auth-sql' },
    { isUsers, details: { accounts }, ownStates: ['banned', ...BAN_EXPIRES], read },
  ),
};
