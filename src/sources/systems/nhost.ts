import { textOf } from '../fields/values.ts';
import { system } from './declare.ts';

/**
 * Supabase has a table `auth.users`, too, but with `encrypted_password`.
 * Schema: nhost/hasura-auth: go/sql/auth_schema_dump.sql
 */
export const nhost = system(
  { name: 'nhost', title: 'Nhost' },
  {
    forms: { sql: 'nhost-pg_dump', csv: 'nhost-csv', json: 'nhost-json' },
    table: 'users',
    has: 'id email password_hash email_verified',
    proof: 'default_role|active_mfa_type',
    hasNot: 'encrypted_password',
    joins: {
      // Identities of Nhost have no address of their own, so they get the user's.
      providers: {
        table: 'user_providers',
        has: 'user_id provider_id provider_user_id',
        identity: { provider: 'provider_id', userId: 'provider_user_id' },
        unused: 'id created_at updated_at access_token refresh_token',
        missing:
          'The table auth.user_providers is missing: users of social providers cannot be imported without it. Dump both tables: pg_dump --data-only -t auth.users -t auth.user_providers.',
      },
    },
    unusedTables:
      'files refresh_tokens user_roles oauth2_auth_requests oauth2_authorization_codes oauth2_refresh_tokens',
    id: 'id',
    email: 'email',
    verified: 'email_verified',
    joined: 'created_at',
    hash: 'password_hash',
    metadata: 'metadata{} display_name avatar_url locale',
    states: { disabled: 'disabled', is_anonymous: 'anonymous' },
    phone: 'phone_number',
    factors: ({ record }) => textOf(record.active_mfa_type) !== undefined,
    reads: 'active_mfa_type default_role',
    unused:
      'updated_at last_seen phone_number_verified new_email otp_method_last_used otp_hash otp_hash_expires_at totp_secret ticket ticket_expires_at webauthn_current_challenge current_challenge',
    advice: [
      {
        level: 'note',
        text: 'Roles (auth.user_roles) are not imported, because this service has none.',
        when: ({ tables }) => tables.some((table) => table.name === 'auth.user_roles'),
      },
    ],
  },
);
