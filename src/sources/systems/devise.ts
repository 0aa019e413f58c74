import type { SourceRecord, TableHead } from '../containers/table.ts';
import { selfDescribingHash } from '../fields/self-describing.ts';
import { baseName, formsOf, hasAnyColumn, hasColumns } from '../fields/tables.ts';
import { timeOf } from '../fields/time.ts';
import { firstOf, flagOf, isSet, metadataOf, textOf } from '../fields/values.ts';
import type { Advice, Detail, DetectionContext, ReadContext, Settings, Source } from '../source.ts';
import type { SourceIdentity, SourcePassword, SourceUser } from '../source-user.ts';

/** GoTrue (Supabase) has a column `encrypted_password`, too, but not these columns of Devise's modules. */
const OF_DEVISE = [
  'reset_password_token',
  'reset_password_sent_at',
  'remember_created_at',
  'sign_in_count',
  'unconfirmed_email',
  'failed_attempts',
];

function isUsers(table: TableHead, _settings: Settings, around?: DetectionContext): boolean {
  if (!hasColumns(table, 'email', 'encrypted_password')) return false;
  if (hasAnyColumn(table, 'raw_user_meta_data', 'instance_id') || isStaff(table)) return false;
  return around?.isNamed === true || hasAnyColumn(table, ...OF_DEVISE);
}

/** Staff of ActiveAdmin or a similar tool, whose ids overlap with ids of users. */
const isStaff = (table: TableHead) => baseName(table).toLowerCase().startsWith('admin');

/** Identities of Devise users. Apps call the table `identities` or `authentications`. */
const identities: Detail = {
  fits: (table) => hasColumns(table, 'user_id', 'provider') && hasAnyColumn(table, 'uid', 'extern_uid'),
  keyOf: ({ user_id }) => textOf(user_id),
  keep: ({ provider, uid, extern_uid }) => ({ provider, uid: textOf(uid) ?? textOf(extern_uid) }),
};

function read(record: SourceRecord, context: ReadContext): SourceUser {
  const { settings, drop } = context;
  const { email, confirmed_at, locked_at, provider, uid } = record;
  const id = textOf(record.id);
  if (isSet(locked_at)) drop('temporary locks');
  if (flagOf(record.otp_required_for_login) === true) drop('mfa');
  const ofTable = id === undefined ? [] : context.details('identities', id);
  return {
    externalUserId: id,
    email: textOf(email),
    // Without the column `confirmed_at`, Devise's module for confirmations is not used.
    isVerified: confirmed_at === undefined ? undefined : isSet(confirmed_at),
    timeJoinedMs: timeOf(record.created_at),
    password: passwordOf(record, settings),
    identities: [{ provider, uid }, ...ofTable].flatMap(identityOf),
    metadata: metadataOf({
      name: record.name,
      username: record.username,
      first_name: record.first_name,
      last_name: record.last_name,
    }),
    state: isSet(firstOf(record, ['deleted_at', 'discarded_at'])) ? 'DELETED' : undefined,
  };
}

function identityOf(columns: { provider?: unknown; uid?: unknown }): SourceIdentity[] {
  const [provider, userId] = [textOf(columns.provider), textOf(columns.uid)];
  return provider === undefined || userId === undefined ? [] : [{ provider, userId }];
}

const SHA1_DIGITS = 40;
const SHA512_DIGITS = 128;

function passwordOf(record: SourceRecord, settings: Settings): SourcePassword | undefined {
  const encoded = textOf(record.encrypted_password);
  if (encoded === undefined) return undefined;
  const salt = textOf(record.password_salt);
  if (salt !== undefined && !encoded.startsWith('$')) return encryptable(encoded, salt, settings);
  return flagOf(settings.pepper) === true ? { encoded, algorithm: 'devise' } : selfDescribingHash(encoded);
}

/** Gem devise-encryptable: SHA-1 or SHA-512, repeated. */
function encryptable(digits: string, salt: string, { stretches = '10' }: Settings): SourcePassword {
  if (digits.length !== SHA1_DIGITS && digits.length !== SHA512_DIGITS) return { encoded: digits };
  const algorithm = digits.length === SHA1_DIGITS ? 'devise-sha1' : 'devise-sha512';
  const base64 = (text: string, encoding: 'utf8' | 'hex') => Buffer.from(text, encoding).toString('base64');
  return {
    encoded: `$${algorithm}$i=${stretches}$${base64(salt, 'utf8')}$${base64(digits, 'hex')}`,
    algorithm,
  };
}

function advice({ tables, settings }: { tables: readonly TableHead[]; settings: Settings }): Advice[] {
  const users = tables.filter((table) => isUsers(table, settings, { tables, isNamed: true }));
  const notes: Advice[] = [];
  if (settings.pepper === undefined) {
    notes.push({
      level: 'note',
      text: 'If config.pepper is set in config/initializers/devise.rb, it was hashed with each password, and nothing in the data shows it. Prove one password first. With a pepper: put it into hashing_secrets of the service and add --set pepper=yes.',
    });
  }
  if (users.some((table) => table.columns.has('provider'))) {
    notes.push({
      level: 'note',
      text: 'Users who came through omniauth often have a random password, which is imported without harm.',
    });
  }
  if (users.some((table) => !table.columns.has('confirmed_at'))) {
    notes.push({
      level: 'note',
      text: 'There is no column confirmed_at, so whether an address was ever confirmed is not known.',
    });
  }
  return notes;
}

export const devise: Source = {
  name: 'devise',
  title: 'Rails Devise',
  settings: {
    pepper: 'yes: the hashes were made with config.pepper, which is a hashing secret of the service',
    stretches: 'config.stretches of devise-encryptable; 10 if it was never set',
  },
  forms: formsOf(
    { csv: 'devise-csv', sql: 'devise-sql', json: 'devise-json' },
    {
      isUsers,
      details: { identities },
      keyOf: ({ id }) => textOf(id),
      ownStates: ['deleted_at', 'discarded_at', 'locked_at'],
      read,
      advice,
    },
  ),
};
