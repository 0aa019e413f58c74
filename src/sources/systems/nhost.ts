import type { SourceRecord } from '../containers/table.ts';
import { type ReadState, stateOfFlag } from '../fields/read-state.ts';
import { selfDescribingHash } from '../fields/self-describing.ts';
import { formsOf, hasAnyColumn, hasColumns, mayBe } from '../fields/tables.ts';
import { timeOf } from '../fields/time.ts';
import { flagOf, metadataOf, objectOf, textOf } from '../fields/values.ts';
import type { ReadContext, Settings, Source } from '../source.ts';
import type { SourceIdentity, SourceUser } from '../source-user.ts';

/**
 * Supabase has a table `auth.users`, too, but with `encrypted_password`. Schema:
 * nhost/hasura-auth@838f397d:go/sql/auth_schema_dump.sql.
 */
export const nhost: Source = {
  name: 'nhost',
  title: 'Nhost',
  forms: formsOf(
    { sql: 'nhost-pg_dump', csv: 'nhost-csv', json: 'nhost-json' },
    {
      isUsers: (table) =>
        mayBe(table, 'users') &&
        hasColumns(table, 'id', 'email', 'password_hash', 'email_verified') &&
        hasAnyColumn(table, 'default_role', 'active_mfa_type', 'is_anonymous') &&
        !hasColumns(table, 'encrypted_password'),
      details: {
        providers: {
          fits: (table) =>
            mayBe(table, 'user_providers') && hasColumns(table, 'user_id', 'provider_id', 'provider_user_id'),
          keyOf: (record) => textOf(record.user_id),
          keep: ({ provider_id, provider_user_id }) => ({ provider_id, provider_user_id }),
          missing:
            'The table auth.user_providers is missing: users of social providers cannot be imported without it. Dump both tables: pg_dump --data-only -t auth.users -t auth.user_providers.',
        },
      },
      keyOf: (record) => textOf(record.id),
      read,
      advice: ({ tables }) =>
        tables.some((table) => table.name === 'auth.user_roles')
          ? [
              {
                level: 'note',
                text: 'Roles (auth.user_roles) are not imported, because this service has none.',
              },
            ]
          : [],
    },
  ),
};

function read(record: SourceRecord, context: ReadContext): SourceUser {
  const hasPhone = textOf(record.phone_number) !== undefined;
  if (hasPhone) context.drop('phone numbers', [record.phone_number]);
  if (textOf(record.active_mfa_type) !== undefined) context.drop('mfa');
  const id = textOf(record.id);
  return {
    externalUserId: id,
    email: textOf(record.email),
    isVerified: flagOf(record.email_verified),
    timeJoinedMs: timeOf(record.created_at),
    password: selfDescribingHash(record.password_hash),
    identities: id === undefined ? undefined : identitiesOf(id, context),
    metadata: metadataOf({
      metadata: objectOf(record.metadata),
      display_name: record.display_name,
      avatar_url: record.avatar_url,
      locale: record.locale,
    }),
    state: stateOf(record, context.settings),
    hasPhone,
  };
}

function stateOf(record: SourceRecord, settings: Settings): ReadState {
  if (flagOf(record.is_anonymous) === true) return 'ANONYMOUS';
  return stateOfFlag('disabled', record.disabled, true, settings);
}

/** Identities of Nhost have no address of their own, so they get the user's. */
function identitiesOf(id: string, context: ReadContext): SourceIdentity[] {
  const identities: SourceIdentity[] = [];
  for (const { provider_id, provider_user_id } of context.details('providers', id)) {
    const [provider, userId] = [textOf(provider_id), textOf(provider_user_id)];
    if (provider !== undefined && userId !== undefined) identities.push({ provider, userId });
    else context.drop('identities without an id');
  }
  return identities;
}
