import type { JsonObject } from '../../lib/json/json-object.ts';
import { stripControlAndSpace } from '../../lib/text/characters.ts';
import {
  firebaseHash,
  hashText,
  invalidHash,
  pbkdf2Hash,
  SIGNER_KEY,
  unknownAlgorithm,
  unsupportedAlgorithm,
} from '../fields/hashes.ts';
import { gravestState, stateOf } from '../fields/states.ts';
import { timeOf } from '../fields/time.ts';
import { totpOfBase32 } from '../fields/totp.ts';
import { bytesOf, flagOf, listOf, mayBeYes, objectOf, objectsOf, textOf } from '../fields/values.ts';
import type { Settings } from '../source.ts';
import type { SourcePassword } from '../source-user.ts';
import { type Identity, readerOf, type Seen, system, type Users, words } from './declare.ts';

/** Members of a user of the API, without the id, the addresses and the phone numbers. */
const OF_API =
  'banned deprovisioned locked lockout_expires_in_seconds external_accounts saml_accounts enterprise_accounts two_factor_enabled totp_enabled ' +
  'first_name last_name username external_id public_metadata private_metadata unsafe_metadata created_at';
const UNUSED_OF_API =
  'object primary_phone_number_id primary_web3_wallet_id has_image image_url profile_image_url profile_image_id web3_wallets passkeys ' +
  'password_enabled password_last_updated_at backup_code_enabled mfa_enabled_at mfa_disabled_at last_sign_in_at last_active_at ' +
  'verification_attempts_remaining updated_at delete_self_enabled create_organization_enabled create_organizations_limit ' +
  'legal_accepted_at locale organization_memberships bypass_client_trust directories directory scim birthday gender';

const hasLockEnd = (user: JsonObject) => textOf(user.lockout_expires_in_seconds) !== undefined;

const hasFactor = (user: JsonObject) => mayBeYes(user.two_factor_enabled) || mayBeYes(user.totp_enabled);

/**
 * Reads an identity. Clerk also keeps accounts of unfinished sign-ins and of disabled connections, which are left
 * out.
 */
function identityOf(account: JsonObject, isSso: boolean): Identity[] {
  const status = textOf(objectOf(account.verification)?.status);
  if ((status !== undefined && status !== 'verified') || flagOf(account.active) === false) return [];
  return [
    {
      provider: account.provider,
      userId: account.provider_user_id,
      email: account.email_address,
      isSso,
    },
  ];
}

/** Rules for members of the API. `as` adds these members to the rows of the CSV export. */
const users = {
  state: (row) =>
    gravestState([
      stateOf('banned', row.record.banned, 'disabled', row),
      stateOf('deprovisioned', row.record.deprovisioned, 'disabled', row),
      // A lock without an end was set by an administrator. Other locks are temporary.
      hasLockEnd(row.record) ? undefined : stateOf('locked', row.record.locked, 'disabled', row),
    ]),
  identities: ({ record }) => [
    ...objectsOf(record.external_accounts).flatMap((account) => identityOf(account, false)),
    ...[...objectsOf(record.saml_accounts), ...objectsOf(record.enterprise_accounts)].flatMap((account) =>
      identityOf(account, true),
    ),
  ],
  metadata:
    'first_name last_name username external_id public_metadata{} private_metadata{} unsafe_metadata{}',
  drops: { 'temporary locks': ({ record }) => flagOf(record.locked) === true && hasLockEnd(record) },
} as const satisfies Partial<Users>;

/** The list of users of Clerk's backend API. */
const api: Users = {
  ...users,
  forms: { json: 'clerk-api' },
  has: 'id email_addresses primary_email_address_id',
  hasPages: true,
  joined: 'created_at',
  stateReads: 'banned locked',
  factors: ({ record }) => hasFactor(record),
  addresses: ({ record }) =>
    objectsOf(record.email_addresses).map(({ id, email_address: email, verification }) => {
      const status = textOf(objectOf(verification)?.status);
      const isVerified = status === undefined ? undefined : status === 'verified';
      return { email, isVerified, isPrimary: id === record.primary_email_address_id };
    }),
  phone: ({ record }) => listOf(record.phone_numbers).length > 0,
  reads: `phone_numbers ${OF_API}`,
  unused: UNUSED_OF_API,
  warning:
    'The API gives no hashes. Export the users in the dashboard, too (Configure, Settings, User exports), and name both files: user-import import users.csv api-users.json',
};

const PHONES = ['verified_phone_numbers', 'unverified_phone_numbers'] as const;

const OF_CSV =
  'primary_email_address primary_phone_number verified_email_addresses unverified_email_addresses verified_phone_numbers ' +
  'unverified_phone_numbers password_digest password_hasher created_at first_name last_name username totp_secret';

/** The CSV export of Clerk's dashboard. */
const csv: Users = {
  ...users,
  forms: { csv: 'clerk-csv' },
  has: 'id primary_email_address password_digest|verified_email_addresses',
  joins: {
    api: {
      has: api.has,
      keep: OF_API,
      unused: `phone_numbers ${UNUSED_OF_API}`,
      of: 'every',
      decides: 'states',
      readAlone: readerOf(api),
      missing:
        'The CSV has no social accounts. Take the list of users of the backend API, too, and name both files: printf "Authorization: Bearer %s" "$CLERK_SECRET_KEY" | curl -H @- "https://api.clerk.com/v1/users?limit=500&offset=0" (again with offset=500, …).',
    },
  },
  as: ({ record, joined }) => {
    const [user = {}] = joined('api');
    const own = Object.fromEntries(words(OF_CSV).map((name) => [name, record[name]]));
    const names = ['first_name', 'last_name', 'username'].map((name) => [
      name,
      textOf(user[name]) ?? own[name],
    ]);
    const created_at = timeOf(record.created_at) === undefined ? user.created_at : record.created_at;
    return { ...own, ...user, ...Object.fromEntries(names), created_at };
  },
  addresses: ({ record }) => {
    const verified = listIn(record.verified_email_addresses);
    const all = [record.primary_email_address, ...verified, record.unverified_email_addresses];
    return all.flatMap(listIn).map((email) => ({ email, isVerified: verified.includes(email) }));
  },
  hash: ({ record, settings }) => {
    const digest = hashText(record.password_digest);
    return digest === undefined ? undefined : hashOf(digest, textOf(record.password_hasher) ?? '', settings);
  },
  joined: ({ record }) => timeOf(record.created_at),
  factors: ({ record }) =>
    textOf(record.totp_secret) === undefined ? hasFactor(record) : totpOfBase32(record.totp_secret),
  phone: ({ record: { primary_phone_number: primary, ...record } }) =>
    textOf(primary) === undefined ? PHONES.some((name) => textOf(record[name]) !== undefined) : [primary],
  reads: OF_CSV,
  settings: {
    ...SIGNER_KEY,
    pepper:
      '`yes` if the service has the pepper of hashes with the hasher `bcrypt_peppered`, as a hashing secret for `bcrypt-pepper`',
  },
  note: [
    {
      text: 'Some hashes come from Firebase. The service needs their signer key, which stands third in each of them, as external_password_hashing_signer_key or as one of hashing_secrets.',
      when: (seen) => hasHasher('scrypt_firebase')(seen),
    },
    {
      text: 'Some users came from Cognito and have not signed in since: awscognito is no hash. They need a new password.',
      when: (seen) => hasHasher('awscognito')(seen),
    },
  ],
  warning: [
    {
      text: 'There is no column password_digest, so nobody has a password. Export the users in the dashboard: Configure, Settings, User exports.',
      when: ({ has }) => has('primary_email_address') && !has('password_digest'),
    },
    {
      text: 'Some hashes were made with a pepper (bcrypt_peppered). They are refused until the pepper is one of hashing_secrets of the service, for bcrypt-pepper, and you add --set pepper=yes',
      when: (seen) => hasHasher('bcrypt_peppered')(seen),
    },
  ],
};

/** Returns the items of a cell, which are separated by commas, or by bars in older files. */
function listIn(cell: unknown): string[] {
  const text = textOf(cell);
  return text === undefined ? [] : text.split(/[,|]/).flatMap((one) => stripControlAndSpace(one) || []);
}

const hasHasher =
  (hasher: string) =>
  ({ records }: Seen) =>
    records.some((record) => textOf(record.password_digest) && record.password_hasher === hasher);

/** Our algorithm for each hasher of Clerk whose digests need no conversion. */
const AS_IT_IS: Readonly<Record<string, string>> = {
  bcrypt: 'bcrypt',
  argon2i: 'argon2',
  argon2d: 'argon2',
  argon2id: 'argon2',
  bcrypt_sha256_django: 'django-bcrypt-sha256',
  pbkdf2_sha256_django: 'django-pbkdf2',
  scrypt_werkzeug: 'werkzeug',
  phpass: 'phpass',
  md5_phpass: 'phpass',
  ldap_ssha: 'ldap-ssha',
};

/** Hashers that combine salt, password and key in a way that Clerk does not document. Their hashes are refused. */
const UNCLEAR = new Set(['md5_salted', 'sha256_salted', 'hmac_sha256_utf16_b64']);

/**
 * Converts a digest of one of Clerk's hashers. Source: clerk/javascript, documentation of `passwordHasher`.
 */
export function hashOf(digest: string, hasher: string, settings: Settings): SourcePassword | undefined {
  const algorithm = Object.hasOwn(AS_IT_IS, hasher) ? AS_IT_IS[hasher] : undefined;
  if (algorithm !== undefined) return { encoded: digest, algorithm };
  switch (hasher) {
    case 'awscognito':
      return undefined;
    case 'md5':
    case 'sha256':
      return { encoded: digest.toLowerCase(), algorithm: `hex-${hasher}` };
    case 'bcrypt_peppered':
      return pepperedOf(digest, settings);
    case 'scrypt_firebase':
      return firebaseOf(digest);
    case 'sha512_symfony':
      return symfonyOf(digest.split('$'));
    default:
      if (Object.hasOwn(PBKDF2, hasher))
        return pbkdf2Of(digest.split('$'), PBKDF2[hasher as keyof typeof PBKDF2]);
      return UNCLEAR.has(hasher)
        ? unsupportedAlgorithm('the digests of this password_hasher are not taken')
        : unknownAlgorithm('password_hasher is none that is known');
  }
}

const BCRYPT_LENGTH = 60;

/** Splits Clerk's `<bcrypt>$<pepper>`. The pepper must never be stored with a hash. */
const pepperedOf = (digest: string, { pepper }: Settings): SourcePassword =>
  flagOf(pepper) === true
    ? { encoded: digest.slice(0, BCRYPT_LENGTH), algorithm: 'bcrypt-pepper' }
    : unsupportedAlgorithm('bcrypt with a pepper needs the pepper as a hashing secret, and --set pepper=yes');

function firebaseOf(digest: string): SourcePassword {
  const [hash, salt, signerKey, saltSeparator, rounds, memCost] = digest.split('$');
  if (!hash || !salt || !signerKey || saltSeparator === undefined || !rounds || !memCost)
    return invalidHash(
      'expected hash, salt, signer key, separator, rounds and memory cost with $ between them',
    );
  return firebaseHash({ hash, salt, memCost, rounds, saltSeparator, signerKey });
}

function symfonyOf([, rounds, salt, hash]: readonly string[]): SourcePassword {
  if (!rounds || salt === undefined || !hash)
    return invalidHash('expected rounds, salt and hash with $ between them');
  const encoded = `$symfony-sha512$i=${rounds}$${Buffer.from(salt, 'utf8').toString('base64')}$${hash}`;
  return { encoded, algorithm: 'symfony-sha512' };
}

/** Encodings of salt and hash in Clerk's PBKDF2 hashes. */
const PBKDF2 = {
  // `orText`: a salt that is not in hexadecimal digits is used as text.
  pbkdf2_sha1: { digest: 'sha1', salt: 'hex', orText: true, hash: 'hex' },
  pbkdf2_sha256: { digest: 'sha256', salt: 'base64', orText: false, hash: 'base64' },
  pbkdf2_sha512: { digest: 'sha512', salt: 'utf8', orText: false, hash: 'hex' },
  pbkdf2_sha512_hex: { digest: 'sha512', salt: 'hex', orText: false, hash: 'hex' },
} as const;

function pbkdf2Of(
  [, iterations, saltText, hash]: readonly string[],
  { digest, salt, orText, hash: encoding }: (typeof PBKDF2)[keyof typeof PBKDF2],
) {
  const bytes = bytesOf(saltText, salt) ?? (orText ? bytesOf(saltText, 'utf8') : undefined);
  return pbkdf2Hash({ digest, iterations, salt: bytes, hash: bytesOf(hash, encoding) });
}

/** Schema: clerk/clerk-sdk-python: src/clerk_backend_api/models/user.py (2026-07) */
export const clerk = system('clerk', 'Clerk', [csv, api]);
