import type { TableHead } from '../containers/table.ts';
import { hashText, pbkdf2Hash, selfDescribingHash } from '../fields/hashes.ts';
import { shownCell } from '../fields/shown-name.ts';
import { baseName, isOfDatabase } from '../fields/tables.ts';
import { bytesOf, isSameAddress, textOf } from '../fields/values.ts';
import type { DetectionContext, Settings } from '../source.ts';
import type { SourcePassword } from '../source-user.ts';
import { hasAll, type Seen, system } from './declare.ts';

// Directus

/** Directus' `provider` of users who sign in with a password. */
const LOCAL = 'default';
/** Asterisks, which Directus' API shows instead of hashes. */
const CONCEALED = /^\*+$/;

function passwordOfDirectus(value: unknown): SourcePassword | undefined {
  const encoded = hashText(value);
  if (encoded === undefined || !CONCEALED.test(encoded)) return selfDescribingHash(encoded);
  return {
    problem: 'HASH_REDACTED',
    message:
      'the API of Directus hides the hashes: dump the table directus_users of the database (pg_dump -t directus_users)',
  };
}

/** Returns the id at the provider. Without a setting for OAuth 2 ids, Directus stores the address, which is no id. */
function idAtProvider(id: unknown, address: unknown): string | undefined {
  const [userId, email] = [textOf(id), textOf(address)];
  return userId === undefined || (email !== undefined && isSameAddress(userId, email)) ? undefined : userId;
}

/**
 * Schema: directus/directus: api/src/database/seeds/03-users.yaml and migrations, 9 to 11; sign-in:
 * api/src/services/authentication.ts
 */
export const directus = system('directus', 'Directus', {
  table: 'directus_users',
  has: 'id email status provider external_identifier tfa_secret',
  // Directus accepts no password from users of a third-party provider, even if one is stored.
  hash: ({ record }) => (record.provider === LOCAL ? passwordOfDirectus(record.password) : undefined),
  identities: ({ record: { provider, external_identifier, email } }) =>
    provider === LOCAL ? [] : [{ provider, userId: idAtProvider(external_identifier, email) }],
  metadata: 'first_name last_name title location language',
  // Only `active` users can sign in. All other states (draft, invited, suspended, archived, custom ones) prevent it.
  state: ({ record }) => (record.status === 'active' ? undefined : 'DISABLED'),
  stateReason: ({ record: { status } }) =>
    status === 'active' ? undefined : `status is ${shownCell(textOf(status) ?? 'empty')}`,
  totp: 'tfa_secret',
  roles: 'role',
  reads: 'password',
  unused:
    'description tags avatar timezone theme theme_dark theme_light theme_light_overrides theme_dark_overrides appearance text_direction token last_access last_page auth_data email_notifications policies',
  unusedTables: `
      directus_access directus_activity directus_files directus_notifications
      directus_oauth_codes directus_oauth_consents directus_oauth_tokens directus_presets
      directus_sessions`,
  note: 'Directus does not keep when a user joined, nor whether an address was confirmed. Only users with the status active are imported.',
});

// Payload

/**
 * Columns of all Payload collections with sign-in, unless locks are switched off. MongoDB has them in camel case.
 */
const HAS =
  'hash salt email|username login_attempts|loginAttempts|reset_password_expiration|resetPasswordExpiration';

/** Whether a table is a collection of Payload with sign-in: its hashes have one of Payload's formats. */
export const isPayloadCollection = (table: TableHead): boolean =>
  hasAll(table, HAS) &&
  table.first.every(({ hash }) => {
    const text = textOf(hash);
    return text === undefined || formatOf(text) !== undefined;
  });

/** Whether a table holds the users: any collection with sign-in, or only the one that the operator chose. */
function isUsers(table: TableHead, settings: Settings, around?: DetectionContext): boolean {
  if (!isPayloadCollection(table)) return false;
  const chosen = around?.tables.filter((one) => isPayloadCollection(one) && isChosen(one, settings)) ?? [];
  return chosen.length === 0 || chosen.includes(table);
}

const isChosen = (table: TableHead, { collection }: Settings) =>
  collection !== undefined && baseName(table) === collection;

/** Formats from Payload 3.90 on, and before it. At a sign-in, Payload converts a hash of the old format. */
const FORMATS = [
  { mark: 'pbkdf2-sha256-v1:', iterations: 600_000, length: 32 },
  { mark: '', iterations: 25_000, length: 512 },
] as const;

const formatOf = (hash: string) =>
  FORMATS.find(
    ({ mark, length }) => hash.startsWith(mark) && bytesOf(hash.slice(mark.length), 'hex')?.length === length,
  );

/**
 * Returns the PBKDF2 hash of a user of Payload. The format of the hash determines the iterations. Payload does not decode
 * the hexadecimal digits of the salt: their text is the salt.
 */
function passwordOfPayload(cell: unknown, salt: unknown): SourcePassword | undefined {
  const hash = hashText(cell);
  if (hash === undefined) return undefined;
  const { iterations, mark } = formatOf(hash) ?? FORMATS[1];
  const bytes = formatOf(hash) && bytesOf(hash.slice(mark.length), 'hex');
  return pbkdf2Hash({ digest: 'sha256', iterations, salt: bytesOf(salt, 'utf8'), hash: bytes });
}

const namesIn = ({ tables }: Seen) =>
  tables
    .filter(isPayloadCollection)
    .flatMap((table) => baseName(table) || [])
    .join(', ');

/** Returns the collections with sign-in if the operator has not chosen one of them. Otherwise none. */
function unchosen({ tables, settings }: Seen): readonly TableHead[] {
  const collections = tables.filter(isPayloadCollection);
  return collections.some((table) => isChosen(table, settings)) ? [] : collections;
}

const isMistaken = (seen: Seen) =>
  seen.settings.collection !== undefined && unchosen(seen).some(isOfDatabase);

/**
 * Collections of Payload 2 and 3 that sign in. Sign-in checks the trash (`deletedAt`), and temporary locks.
 * Schema: payloadcms/payload: packages/payload/src/auth/baseFields, auth/operations/login.ts,
 * auth/strategies/local/generatePasswordSaltHash.ts
 */
export const payload = system('payload', 'Payload', {
  settings: {
    collection: 'the table of the users to import, where several collections sign in',
  },

  has: `id|_id ${HAS}`,
  only: isUsers,
  id: 'id|_id',
  email: 'email',
  username: 'username',
  verified: '_verified',
  joined: 'created_at|createdAt',
  hash: ({ record: { hash, salt } }) => passwordOfPayload(hash, salt),
  metadata: 'name username',
  states: { 'deleted_at|deletedAt': 'deleted' },
  mayLack: { 'deleted_at|deletedAt': 'since 3.49, of collections with a trash' },
  lockedUntil: 'lock_until|lockUntil',
  unused:
    'updated_at updatedAt reset_password_token resetPasswordToken reset_password_requested_at resetPasswordRequestedAt _verificationtoken _verificationToken enable_a_p_i_key enableAPIKey api_key apiKey api_key_index apiKeyIndex sessions __v',
  unusedTables: 'payload_preferences_rels payload_locked_documents_rels *_sessions',
  stop: [
    {
      text: (seen) =>
        `There is no collection ${seen.settings.collection} whose documents sign in. Name one of these: ${namesIn(seen)}.`,
      when: isMistaken,
    },
    {
      text: 'Several of these files hold collections whose documents sign in. Their ids may be the same, and one is mostly the staff of the CMS. Name the file of the collection to import, and leave out the others.',
      when: (seen) => !isMistaken(seen) && unchosen(seen).length > 1 && namesIn(seen) === '',
    },
    {
      text: (seen) =>
        `Several collections have users, whose ids may be the same, and one of them is mostly the staff of the CMS: ${namesIn(seen)}. Name the one to import: --set collection=NAME.`,
      when: (seen) => !isMistaken(seen) && unchosen(seen).length > 1 && namesIn(seen) !== '',
    },
  ],
});
