import type { SourceRecord, TableHead } from '../containers/table.ts';
import { selfDescribingHash } from '../fields/self-describing.ts';
import { shownCell } from '../fields/shown-name.ts';
import { formsOf, hasColumns, mayBe } from '../fields/tables.ts';
import { totpOfBase32 } from '../fields/totp.ts';
import { isSameAddress, isSet, metadataOf, textOf } from '../fields/values.ts';
import type { ReadContext, Source } from '../source.ts';
import type { SourceIdentity, SourcePassword, SourceUser } from '../source-user.ts';

const isUsers = (table: TableHead) =>
  mayBe(table, 'directus_users') &&
  hasColumns(table, 'email', 'status', 'provider', 'external_identifier', 'tfa_secret');

/** Directus' `provider` of users who sign in with a password. */
const LOCAL = 'default';

function read(record: SourceRecord, context: ReadContext): SourceUser {
  const provider = textOf(record.provider);
  if (isSet(record.tfa_secret)) context.drop('mfa', totpOfBase32(record.tfa_secret));
  if (isSet(record.role)) context.drop('roles');
  return {
    externalUserId: textOf(record.id),
    email: textOf(record.email),
    // Directus accepts no password from users of a third-party provider, even if one is stored.
    password: provider === LOCAL ? passwordOf(record.password) : undefined,
    identities: provider === undefined || provider === LOCAL ? [] : identityOf(provider, record, context),
    metadata: metadataOf({
      first_name: record.first_name,
      last_name: record.last_name,
      title: record.title,
      location: record.location,
      language: record.language,
    }),
    // Directus users with any other status (draft, invited, suspended, archived, custom ones) cannot
    // sign in.
    ...(record.status !== 'active' && {
      state: 'DISABLED',
      stateReason: `status is ${shownCell(textOf(record.status) ?? 'empty')}`,
    }),
  };
}

/** Directus' API replaces hashes by asterisks. */
const CONCEALED = /^\*+$/;

function passwordOf(value: unknown): SourcePassword | undefined {
  const encoded = textOf(value);
  if (encoded === undefined || !CONCEALED.test(encoded)) return selfDescribingHash(encoded);
  return {
    problem: 'HASH_REDACTED',
    message:
      'the API of Directus hides the hashes: dump the table directus_users of the database (pg_dump -t directus_users)',
  };
}

/**
 * Without a configured id of an OAuth 2 provider, Directus uses the address as the id. Such identities are
 * left out.
 */
function identityOf(provider: string, record: SourceRecord, { drop }: ReadContext): SourceIdentity[] {
  const [userId, email] = [textOf(record.external_identifier), textOf(record.email)];
  if (userId !== undefined && !(email !== undefined && isSameAddress(userId, email)))
    return [{ provider, userId }];
  drop('identities without an id');
  return [];
}

/** Source for Directus. Schema: directus/directus: api/src/database/migrations, api/src/auth/drivers */
export const directus: Source = {
  name: 'directus',
  title: 'Directus',
  forms: formsOf(
    { sql: 'directus-sql', csv: 'directus-csv', json: 'directus-json' },
    {
      isUsers,
      ownStates: ['status'],
      read,
      advice: () => [
        {
          level: 'note',
          text: 'Directus does not keep when a user joined, nor whether an address was confirmed. Only users with the status active are imported.',
        },
      ],
    },
  ),
};
