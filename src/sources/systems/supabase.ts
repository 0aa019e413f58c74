import type { JsonObject } from '../../lib/json/json-object.ts';
import type { SourceRecord } from '../containers/table.ts';
import { fbscryptHash, hashText, SIGNER_KEY, TAKE_SIGNER_KEY } from '../fields/hashes.ts';
import { totpOfRecord } from '../fields/totp.ts';
import { flagOf, isSet, mayBeYes, objectOf, objectsOf, textOf } from '../fields/values.ts';
import type { SourcePassword } from '../source-user.ts';
import { type Identity, type Row, type Seen, system, type Users } from './declare.ts';

/** Reads an identity, from a row of the table or from the API. */
function keptOf(record: SourceRecord): JsonObject | undefined {
  const provider = textOf(record.provider);
  if (provider === undefined || provider === 'email' || provider === 'phone') return undefined;
  const data = objectOf(record.identity_data);
  return {
    provider,
    // Before 2023-11, and in the API, `id` of a Supabase identity is the id at the provider.
    userId: textOf(record.provider_id) ?? textOf(record.id),
    email: textOf(data?.email),
    isVerified: flagOf(data?.email_verified),
    // GoTrue always uses Google's public server. For GitHub, GitLab and Azure, a private server can be configured.
    servers: provider === 'google' ? [] : [textOf(data?.iss)],
    isSso: provider.startsWith('sso:'),
  };
}

/**
 * Returns the identities of a user. The column `is_sso_user` shows users of enterprise SSO even if the table of
 * identities is missing. Such a user gets an identity at `sso`, with the user's own id in place of the unknown id there.
 */
function identitiesOf(found: readonly JsonObject[], { record }: Row): readonly Identity[] {
  return found.length === 0 && mayBeYes(record.is_sso_user)
    ? [{ provider: 'sso', userId: record.id, isSso: true }]
    : found;
}

/** Whether the set-up of a factor is finished. GoTrue does not ask for others. */
const isFinished = ({ status }: SourceRecord) => status !== 'unverified';

/**
 * Reads a hash. Those of Firebase's scrypt contain the signer key. Code: supabase/auth, internal/crypto/password.go
 */
function passwordOf(encoded: string): SourcePassword | undefined {
  if (encoded.startsWith('$2')) return { encoded, algorithm: 'bcrypt' };
  if (encoded.startsWith('$argon2')) return { encoded, algorithm: 'argon2' };
  if (encoded.startsWith('$fbscrypt$')) return fbscryptHash(encoded);
  if (encoded.startsWith('{') && objectOf(encoded)?.alg !== undefined)
    return { problem: 'HASH_ENCRYPTED', message: 'the hash is encrypted with a key that Supabase holds' };
  return { encoded };
}

function hashOf({ record }: Row): SourcePassword | undefined {
  const encoded = hashText(record.encrypted_password);
  // Users of enterprise SSO cannot sign in with a password, because Supabase does not find them by their address.
  return encoded === undefined || mayBeYes(record.is_sso_user) ? undefined : passwordOf(encoded);
}

const hasHash =
  (matches: (hash: string) => boolean) =>
  ({ records }: Seen): boolean =>
    records.some(({ encrypted_password: hash }) => typeof hash === 'string' && hash && matches(hash));

const NO_HASHES =
  'There are no hashes here: the dashboard and the admin API give none. Export the tables: supabase db dump --data-only --schema auth -f dump.sql, or psql "$DATABASE_URL" -c "\\copy auth.users to users.csv csv header"';

/** Columns of the table `auth.users` and members of the admin API. */
const users: Pick<Users, 'id' | 'email' | 'verified' | 'joined' | 'states' | 'phone'> = {
  // GoTrue replaces the address of a deleted user by a digest.
  email: ({ record }) => (isSet(record.deleted_at) ? undefined : record.email),
  verified: 'email_confirmed_at',
  joined: 'created_at',
  states: { deleted_at: 'deleted', is_anonymous: 'anonymous', banned_until: 'disabled until' },
  phone: 'phone',
};
const UNUSED =
  'aud role invited_at confirmation_sent_at recovery_sent_at email_change_sent_at last_sign_in_at updated_at phone_confirmed_at phone_change_sent_at confirmed_at reauthentication_sent_at';

/**
 * GoTrue's tables, and users from the admin API or the dashboard, without hashes.
 * Schema: supabase/auth (2026-08): migrations, internal/models/user.go, internal/models/identity.go
 */
export const supabase = system('supabase', 'Supabase Auth (GoTrue)', [
  {
    settings: SIGNER_KEY,
    ...users,
    forms: { sql: 'supabase-pg_dump-copy', csv: 'supabase-users-csv', json: 'supabase-users-json' },
    table: 'users',
    has: 'id email encrypted_password',
    proof: 'raw_user_meta_data|raw_app_meta_data|email_confirmed_at|is_sso_user|banned_until',
    joins: {
      identities: {
        table: 'identities',
        has: 'user_id provider identity_data',
        keep: keptOf,
        reads: 'provider_id id',
        unused: 'last_sign_in_at created_at updated_at email',
        missing:
          'The identities are missing: without them, all social logins are lost, and users who have no password are skipped. Export them, too, and name both files: psql "$DATABASE_URL" -c "\\copy auth.identities to identities.csv csv header"',
      },
      mfa_factors: {
        table: 'mfa_factors',
        has: 'user_id factor_type status',
        are: 'factors',
        keep: (factor) => (isFinished(factor) ? { totp: totpOfRecord(factor) } : undefined),
        reads: 'secret friendly_name',
        unused:
          'id created_at updated_at phone last_challenged_at web_authn_credential web_authn_aaguid last_webauthn_challenge_data',
        missing:
          'Export it, too: psql "$DATABASE_URL" -c "\\copy auth.mfa_factors to mfa_factors.csv csv header".',
      },
    },
    // Tables from `buckets` on are of Supabase's schemas storage, realtime, cron and pgsodium.
    unusedTables:
      'sessions refresh_tokens one_time_tokens flow_state oauth_authorizations oauth_consents webauthn_challenges audit_log_entries saml_providers saml_relay_states ' +
      'buckets:allowed_mime_types objects:bucket_id s3_multipart_uploads subscription:claims_role job:schedule job_run_details:runid key:key_type',
    hash: hashOf,
    identities: (row) => identitiesOf(row.joined('identities'), row),
    metadata: 'user_metadata=raw_user_meta_data{} app_metadata=raw_app_meta_data{}',
    unused: `${UNUSED} instance_id confirmation_token recovery_token email_change_token email_change_token_new email_change is_super_admin phone_change phone_change_token email_change_token_current email_change_confirm_status reauthentication_token`,
    note: { text: TAKE_SIGNER_KEY, when: hasHash((hash) => hash.startsWith('$fbscrypt$')) },
    warning: [
      { text: NO_HASHES, when: (seen) => seen.has('encrypted_password') && !hasHash(() => true)(seen) },
      {
        text: 'Some hashes are encrypted, and only Supabase has the key. Those users need a new password, unless the project can be set to keep hashes unencrypted.',
        when: hasHash((hash) => hash.startsWith('{')),
      },
    ],
  },
  {
    ...users,
    forms: { json: 'supabase-admin-api' },
    has: 'id aud app_metadata user_metadata',
    hasNot: 'encrypted_password',
    hasPages: true,
    identities: (row) =>
      identitiesOf(
        objectsOf(row.record.identities).flatMap((one): JsonObject[] => [keptOf(one) ?? []].flat()),
        row,
      ),
    metadata: 'user_metadata{} app_metadata{}',
    // The API lists second factors in each user; the database has them in auth.mfa_factors.
    factors: ({ record }) => {
      const found = objectsOf(record.factors).filter(isFinished);
      return found.length > 0 && found.flatMap((factor) => totpOfRecord(factor));
    },
    reads: 'email identities factors is_sso_user',
    unused: `${UNUSED} new_email new_phone action_link`,
    warning: NO_HASHES,
  },
]);
