import type { SourceRecord, TableHead } from '../containers/table.ts';
import { stateOfWord } from '../fields/read-state.ts';
import { hasAnyColumn, hasColumns } from '../fields/tables.ts';
import { timeOf } from '../fields/time.ts';
import { flagOf, listOf, metadataOf, objectOf, objectsOf, textOf } from '../fields/values.ts';
import type { Advice, ReadContext, Source } from '../source.ts';
import type { SourceIdentity, SourceUser } from '../source-user.ts';

const isUsers = (table: TableHead) =>
  table.container === 'json' &&
  hasColumns(table, 'user_id', 'emails') &&
  hasAnyColumn(table, 'providers', 'webauthn_registrations', 'crypto_wallets', 'untrusted_metadata');

/** Role of every Stytch user, which is therefore no loss. */
const NO_ROLE = 'stytch_user';
const SECOND_FACTORS = ['totps', 'webauthn_registrations', 'biometric_registrations'];

const STATUSES = { active: 'ACTIVE', deleted: 'DELETED', pending: 'ACTIVE' } as const;

function read(record: SourceRecord, { settings, drop }: ReadContext): SourceUser {
  const emails = objectsOf(record.emails).filter(({ email }) => textOf(email) !== undefined);
  // Stytch marks no address as the primary one, so a verified one is preferred.
  const own = emails.find(({ verified }) => flagOf(verified) === true) ?? emails[0];
  const hasPhone = listOf(record.phone_numbers).length > 0;
  if (hasPhone) drop('phone numbers');
  if (SECOND_FACTORS.some((name) => listOf(record[name]).length > 0)) drop('mfa');
  if (listOf(record.roles).some((role) => role !== NO_ROLE))
    drop(
      'roles',
      listOf(record.roles).filter((role) => role !== NO_ROLE),
    );
  if (flagOf(record.is_locked) === true) drop('temporary locks');
  return {
    externalUserId: textOf(record.user_id),
    email: textOf(own?.email),
    emails: emails.length < 2 ? undefined : emails.flatMap(({ email }) => textOf(email) ?? []),
    isVerified: flagOf(own?.verified),
    timeJoinedMs: timeOf(record.created_at),
    identities: objectsOf(record.providers).flatMap(identityOf),
    metadata: metadataOf({
      name: objectOf(record.name),
      external_id: record.external_id,
      trusted_metadata: objectOf(record.trusted_metadata),
      untrusted_metadata: objectOf(record.untrusted_metadata),
    }),
    state: stateOfWord('status', record.status, STATUSES, settings),
    hasPhone,
  };
}

function identityOf({ provider_type, provider_subject }: SourceRecord): SourceIdentity[] {
  const [provider, userId] = [textOf(provider_type), textOf(provider_subject)];
  return provider === undefined || userId === undefined ? [] : [{ provider, userId }];
}

const advice = (): Advice[] => [
  {
    level: 'warn',
    text: 'The API of Stytch gives no password hashes: ask its support for them. Only social accounts can be imported from this list.',
  },
];

/** Users of Stytch's consumer product, as listed by `POST /v1/users/search`. */
export const stytch: Source = {
  name: 'stytch',
  title: 'Stytch',
  forms: [{ name: 'stytch-users', hasPages: true, isUsers, read, advice }],
};
