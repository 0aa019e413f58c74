import type { SourceRecord, TableHead } from '../containers/table.ts';
import { holdsFlags } from '../fields/holds-flags.ts';
import { selfDescribingHash } from '../fields/self-describing.ts';
import { formsOf, hasAnyColumn } from '../fields/tables.ts';
import { timeOf, timeOfObjectId } from '../fields/time.ts';
import { firstOf, isSet, metadataOf, textOf } from '../fields/values.ts';
import type { Advice, Detail, DetectionContext, ReadContext, Settings, Source } from '../source.ts';
import type { SourceIdentity, SourceUser } from '../source-user.ts';

const ID = ['id', '_id'];
const USER_ID = ['userId', 'user_id'];
const ACCOUNT_ID = ['providerAccountId', 'provider_account_id'];
const EMAIL_VERIFIED = ['emailVerified', 'email_verified'];
const CREATED_AT = ['createdAt', 'created_at'];
/** Names of password columns that apps add. Auth.js itself has none. */
const PASSWORD = ['password', 'hashedPassword', 'passwordHash', 'hashed_password', 'password_hash'];
/** Types of Auth.js accounts that are no identities: their id is the user's own id or an address. */
const NO_IDENTITY = new Set(['credentials', 'email']);

const isAccounts = (table: TableHead) =>
  table.columns.has('provider') && hasAnyColumn(table, ...ACCOUNT_ID) && hasAnyColumn(table, ...USER_ID);

/** Better Auth has a boolean where Auth.js has a time or null. */
function isUsers(table: TableHead, _settings: Settings, around?: DetectionContext): boolean {
  const verified = EMAIL_VERIFIED.find((name) => table.columns.has(name));
  if (verified === undefined || !table.columns.has('email') || !hasAnyColumn(table, ...ID)) return false;
  if (holdsFlags(table, verified) === true) return false;
  if (around?.isNamed === true || around?.tables.some(isAccounts) === true) return true;
  return verified === 'emailVerified' && table.columns.has('image');
}

const accounts: Detail = {
  fits: isAccounts,
  keyOf: (record) => textOf(firstOf(record, USER_ID)),
  keep: (record) => ({
    type: record.type,
    provider: record.provider,
    id: firstOf(record, ACCOUNT_ID),
  }),
  missing:
    'The accounts are missing (Account, accounts). Without them social logins are lost: export that table, too.',
};

function read(record: SourceRecord, { details }: ReadContext): SourceUser {
  const id = textOf(firstOf(record, ID));
  return {
    externalUserId: id,
    email: textOf(record.email),
    isVerified: isSet(firstOf(record, EMAIL_VERIFIED)),
    timeJoinedMs: timeOf(firstOf(record, CREATED_AT)) ?? timeOfObjectId(textOf(record._id) ?? ''),
    password: selfDescribingHash(firstOf(record, PASSWORD)),
    identities: id === undefined ? [] : details('accounts', id).flatMap(identityOf),
    metadata: metadataOf({ name: record.name, image: record.image }),
  };
}

function identityOf({ type, provider, id }: SourceRecord): SourceIdentity[] {
  const [name, userId] = [textOf(provider), textOf(id)];
  if (name === undefined || userId === undefined) return [];
  return NO_IDENTITY.has(name) || NO_IDENTITY.has(textOf(type) ?? '') ? [] : [{ provider: name, userId }];
}

function advice({ tables, settings }: { tables: readonly TableHead[]; settings: Settings }): Advice[] {
  const users = tables.filter((table) => isUsers(table, settings, { tables, isNamed: true }));
  if (users.some((table) => hasAnyColumn(table, ...PASSWORD))) return [];
  return [
    {
      level: 'note',
      text: 'No column with password hashes was found. Auth.js has none of its own; if the app added one, rename it to password or map it with --map. Users of magic links need none: they can come in by a reset.',
    },
  ];
}

/** Auth.js, formerly NextAuth. */
export const authjs: Source = {
  name: 'authjs',
  title: 'Auth.js',
  forms: formsOf(
    { json: 'authjs-json', csv: 'authjs-csv', sql: 'authjs-sql' },
    { isUsers, details: { accounts }, ownStates: [], read, advice },
  ),
};
