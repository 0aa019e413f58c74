import type { JsonObject } from '../../lib/json/json-object.ts';
import type { SourceRecord, TableHead } from '../containers/table.ts';
import { fbscryptHash, TAKE_SIGNER_KEY } from '../fields/fbscrypt.ts';
import { firstUsers } from '../fields/first-users.ts';
import { type ReadState, readState } from '../fields/read-state.ts';
import { SIGNER_KEY } from '../fields/signer-key.ts';
import { timeOf } from '../fields/time.ts';
import { totpOfRecord } from '../fields/totp.ts';
import { flagOf, metadataOf, objectOf, objectsOf, textOf } from '../fields/values.ts';
import type { Advice, Detail, DetectionContext, Form, ReadContext, Source } from '../source.ts';
import type { SourceIdentity, SourcePassword, SourceUser } from '../source-user.ts';

/** Columns beside `encrypted_password` that only GoTrue (Supabase) has. */
const OF_GOTRUE = [
  'raw_user_meta_data',
  'raw_app_meta_data',
  'email_confirmed_at',
  'is_sso_user',
  'banned_until',
];

/** Supabase's `auth.users`. In CSV and JSON, the name of the table is unknown. */
const isUsers = ({ name, columns }: TableHead, around?: DetectionContext): boolean =>
  columns.has('encrypted_password') &&
  columns.has('email') &&
  (around?.isNamed === true || isOfGoTrue(name, columns));

const isOfGoTrue = (name: string, columns: ReadonlySet<string>) =>
  (name === '' || /(?:^|\.)users$/.test(name)) && OF_GOTRUE.some((column) => columns.has(column));

/** Supabase's `auth.identities`. Without this table, social logins are lost. */
const identities: Detail = {
  fits: ({ columns }) => ['identity_data', 'provider', 'user_id'].every((name) => columns.has(name)),
  keyOf: (record) => textOf(record.user_id),
  keep: keptOf,
  missing:
    'The identities are missing: without them, all social logins are lost, and users who have no password are skipped. Export them, too, and name both files: psql "$DATABASE_URL" -c "\\copy auth.identities to identities.csv csv header"',
};

/** Members that a Supabase identity has in the table and in the API. */
function keptOf(record: SourceRecord): JsonObject | undefined {
  const provider = textOf(record.provider);
  if (provider === undefined || provider === 'email' || provider === 'phone') return undefined;
  const data = objectOf(record.identity_data);
  return {
    provider,
    // Before 2023-11, and in the API, `id` of a Supabase identity is the id at the provider.
    id: textOf(record.provider_id) ?? textOf(record.id),
    email: textOf(data?.email),
    verified: flagOf(data?.email_verified),
  };
}

function identityOf(kept: JsonObject, { drop }: ReadContext): SourceIdentity[] {
  const provider = textOf(kept.provider);
  const userId = textOf(kept.id);
  if (provider === undefined) return [];
  if (userId === undefined) {
    drop('identities without an id');
    return [];
  }
  const isSso = provider.startsWith('sso:');
  return [{ provider, userId, email: textOf(kept.email), isVerified: flagOf(kept.verified), isSso }];
}

function readTable(record: SourceRecord, context: ReadContext): SourceUser {
  const id = textOf(record.id);
  const found = id === undefined ? [] : context.details('identities', id);
  return readUser(record, context, {
    identities: found.flatMap((kept) => identityOf(kept, context)),
    userMetadata: record.raw_user_meta_data,
    appMetadata: record.raw_app_meta_data,
    password: passwordOf(textOf(record.encrypted_password)),
  });
}

interface Read {
  identities: readonly SourceIdentity[];
  userMetadata: unknown;
  appMetadata: unknown;
  password: SourcePassword | undefined;
}

function readUser(record: SourceRecord, context: ReadContext, read: Read): SourceUser {
  const { drop } = context;
  const id = textOf(record.id);
  const state = stateOf(record, context);
  // GoTrue replaces the address of a deleted user by a digest.
  const email = state === 'DELETED' ? undefined : textOf(record.email);
  const hasPhone = textOf(record.phone) !== undefined;
  // The API of Supabase lists second factors in each user; the database has them in auth.mfa_factors.
  const factors = objectsOf(record.factors).filter(({ status }) => status !== 'unverified');
  if (factors.length > 0) drop('mfa', factors.flatMap(totpOfRecord));
  if (hasPhone && email !== undefined) drop('phone numbers', [record.phone]);
  return {
    externalUserId: id,
    email,
    isVerified: textOf(record.email_confirmed_at) !== undefined,
    timeJoinedMs: timeOf(record.created_at),
    password: read.password,
    identities: withSso(read.identities, record, id),
    metadata: metadataOf({
      user_metadata: objectOf(read.userMetadata),
      app_metadata: objectOf(read.appMetadata),
    }),
    state,
    hasPhone,
  };
}

/**
 * The row of a Supabase user names enterprise SSO even if the table of identities is missing; the id is
 * then unknown.
 */
function withSso(found: readonly SourceIdentity[], record: SourceRecord, id: string | undefined) {
  if (found.length > 0 || id === undefined || flagOf(record.is_sso_user) !== true) return found;
  return [{ provider: 'sso', userId: id, isSso: true }];
}

const BANNED_UNTIL = { name: 'banned_until', kind: 'disabled', time: 'until' } as const;

function stateOf(record: SourceRecord, context: ReadContext): ReadState {
  if (textOf(record.deleted_at) !== undefined) return 'DELETED';
  if (flagOf(record.is_anonymous) === true) return 'ANONYMOUS';
  return readState(record.banned_until, BANNED_UNTIL, context);
}

/**
 * Each hash of Firebase's scrypt in Supabase contains the signer key. Code: supabase/auth,
 * internal/crypto/password.go
 */
function passwordOf(encoded: string | undefined): SourcePassword | undefined {
  if (encoded === undefined) return undefined;
  if (encoded.startsWith('$2')) return { encoded, algorithm: 'bcrypt' };
  if (encoded.startsWith('$argon2')) return { encoded, algorithm: 'argon2' };
  if (encoded.startsWith('$fbscrypt$')) return fbscryptHash(encoded);
  if (encoded.startsWith('{') && objectOf(encoded)?.alg !== undefined) {
    return { problem: 'HASH_ENCRYPTED', message: 'the hash is encrypted with a key that Supabase holds' };
  }
  return { encoded };
}

const formOf = (name: string, container: 'csv' | 'json' | 'sql'): Form => {
  const form: Form = {
    name,
    isUsers: (table, _settings, around) => table.container === container && isUsers(table, around),
    details: { identities },
    keyOf: (record) => textOf(record.id),
    read: readTable,
    advice: (seen) => adviceOn(form, seen),
  };
  return form;
};

/** Users from Supabase's admin API or dashboard, without hashes, but with their identities. */
const adminApi: Form = {
  name: 'supabase-admin-api',
  hasPages: true,
  isUsers: ({ container, columns }) =>
    container === 'json' &&
    ['aud', 'app_metadata', 'user_metadata'].every((name) => columns.has(name)) &&
    !columns.has('encrypted_password'),
  read: (record, context) =>
    readUser(record, context, {
      identities: objectsOf(record.identities)
        .map(keptOf)
        .flatMap((kept) => (kept === undefined ? [] : identityOf(kept, context))),
      userMetadata: record.user_metadata,
      appMetadata: record.app_metadata,
      password: undefined,
    }),
  advice: () => [NO_HASHES],
};

function adviceOn(form: Form, seen: Parameters<NonNullable<Form['advice']>>[0]): Advice[] {
  const tables = seen.tables.filter((table) => form.isUsers(table, seen.settings));
  const records = tables.flatMap(({ first }) => first);
  const hashes = records.flatMap((record) => textOf(record.encrypted_password) ?? []);
  return [
    ...(hashes.length === 0 && records.length > 0 ? [NO_HASHES] : []),
    ...(hashes.some((hash) => hash.startsWith('$fbscrypt$')) ? [TAKE_SIGNER_KEY] : []),
    ...(firstUsers(form, seen).hasProblem('HASH_ENCRYPTED') ? [ENCRYPTED] : []),
  ];
}

const NO_HASHES: Advice = {
  level: 'warn',
  text: 'There are no hashes here: the dashboard and the admin API give none. Export the tables: supabase db dump --data-only --schema auth -f dump.sql, or psql "$DATABASE_URL" -c "\\copy auth.users to users.csv csv header"',
};
const ENCRYPTED: Advice = {
  level: 'warn',
  text: 'Some hashes are encrypted, and only Supabase has the key. Those users need a new password, unless the project can be set to keep hashes unencrypted.',
};

export const supabase: Source = {
  name: 'supabase',
  title: 'Supabase Auth (GoTrue)',
  settings: SIGNER_KEY,
  forms: [
    formOf('supabase-pg_dump-copy', 'sql'),
    formOf('supabase-users-csv', 'csv'),
    formOf('supabase-users-json', 'json'),
    adminApi,
  ],
};
