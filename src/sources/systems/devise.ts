import type { SourceRecord, TableHead } from '../containers/table.ts';
import { selfDescribingHash } from '../fields/hashes.ts';
import { baseName, isOfDatabase } from '../fields/tables.ts';
import { timeOf } from '../fields/time.ts';
import { flagOf, isSet, mayBeYes, textOf } from '../fields/values.ts';
import type { AdviceContext, Settings } from '../source.ts';
import type { SourcePassword, UserState } from '../source-user.ts';
import { hasAll, system } from './declare.ts';

/** Staff of ActiveAdmin or a similar tool, whose ids overlap with ids of users. */
const isStaff = (table: TableHead) => baseName(table).toLowerCase().startsWith('admin');

const isMastodon = (table: TableHead) => hasAll(table, 'account_id disabled approved');

/** The `user_id` of identities is the id of another model, if the users are members or customers. */
const isUsers = (table: TableHead) => !isOfDatabase(table) || baseName(table).toLowerCase() === 'users';

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

/** People who were invited (devise_invitable) and have not accepted, and accounts that have expired (devise-security). */
function stateOf(record: SourceRecord, nowMs: number): UserState | undefined {
  if (textOf(record.invitation_token) !== undefined && !isSet(record.invitation_accepted_at))
    return 'DISABLED';
  if (!isSet(record.expired_at)) return undefined;
  const expiredMs = timeOf(record.expired_at);
  return expiredMs === undefined || expiredMs <= nowMs ? 'DISABLED' : undefined;
}

const usersIn = ({ tables }: AdviceContext) =>
  tables.filter((table) => table.columns.has('encrypted_password') && !isStaff(table));

/**
 * Tables of Devise, with the columns of its modules, and of devise_invitable, devise-two-factor, devise-security,
 * devise-encryptable and devise_token_auth. Locks are temporary (config.unlock_in).
 * Schema: heartcombo/devise: lib/generators/active_record/devise_generator.rb, lib/devise/models
 */
export const devise = system('devise', 'Rails Devise', {
  settings: {
    pepper: 'yes: the hashes were made with config.pepper, which is a hashing secret of the service',
    stretches: 'config.stretches of devise-encryptable; 10 if it was never set',
  },

  has: 'id email encrypted_password',
  proof:
    'reset_password_token|reset_password_sent_at|remember_created_at|sign_in_count|unconfirmed_email|failed_attempts',
  // GoTrue (Supabase) has a column `encrypted_password`, too.
  hasNot: 'raw_user_meta_data instance_id',
  only: (table) => !isStaff(table) && !isMastodon(table),
  joins: {
    // Apps call the table `identities` or `authentications`.
    identities: {
      has: 'user_id provider uid|extern_uid',
      keep: 'provider uid=uid|extern_uid',
      unused: 'id created_at updated_at',
    },
  },
  unusedTables: 'allowlisted_jwts',
  id: 'id',
  email: 'email',
  // Without the column, Devise's module for confirmations is not used.
  verified: 'confirmed_at',
  joined: 'created_at',
  hash: ({ record, settings }) => passwordOf(record, settings),
  identities: ({ table, record, joined }) =>
    [
      { provider: record.provider, uid: textOf(record.uid) },
      ...(isUsers(table) ? joined('identities') : []),
    ].flatMap(({ provider, uid }) => (textOf(uid) === undefined ? [] : { provider, userId: uid })),
  metadata: 'name username first_name last_name',
  states: { deleted_at: 'deleted', discarded_at: 'deleted' },
  mayLack: { deleted_at: 'of the gem paranoia', discarded_at: 'of the gem discard' },
  state: ({ record, nowMs }) => stateOf(record, nowMs),
  factors: ({ record }) => mayBeYes(record.otp_required_for_login),
  drops: { 'temporary locks': ({ record }) => isSet(record.locked_at) },
  reads:
    'encrypted_password password_salt provider uid otp_required_for_login locked_at invitation_token invitation_accepted_at expired_at',
  unused:
    'reset_password_token reset_password_sent_at remember_created_at remember_token sign_in_count current_sign_in_at last_sign_in_at current_sign_in_ip last_sign_in_ip confirmation_token confirmation_sent_at unconfirmed_email failed_attempts unlock_token updated_at invitation_created_at invitation_sent_at invitation_limit invited_by_type invited_by_id invitations_count otp_secret encrypted_otp_secret encrypted_otp_secret_iv encrypted_otp_secret_salt consumed_timestep otp_backup_codes authentication_token jti tokens allow_password_change nickname image password_changed_at unique_session_id last_activity_at security_question_id security_question_answer',
  note: [
    {
      text: 'If config.pepper is set in config/initializers/devise.rb, it was hashed with each password, and nothing in the data shows it. Prove one password first. With a pepper: put it into hashing_secrets of the service and add --set pepper=yes.',
      when: ({ settings }) => settings.pepper === undefined,
    },
    {
      text: 'Users who came through omniauth often have a random password, which is imported without harm.',
      when: (seen) => usersIn(seen).some(({ columns }) => columns.has('provider')),
    },
    {
      text: 'There is no column confirmed_at, so whether an address was ever confirmed is not known.',
      when: (seen) => usersIn(seen).some(({ columns }) => !columns.has('confirmed_at')),
    },
  ],
});
