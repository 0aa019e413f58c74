import type { JsonObject } from '../../lib/json/json-object.ts';
import type { SourceRecord } from '../containers/table.ts';
import {
  firebaseHash,
  hashText,
  invalidHash,
  isGiven,
  SIGNER_KEY,
  scryptHash,
  selfDescribingHash,
  unknownAlgorithm,
  unsupportedAlgorithm,
} from '../fields/hashes.ts';
import { bytesOf, listOf, objectOf, textOf } from '../fields/values.ts';
import type { Settings } from '../source.ts';
import type { SourcePassword, UserState } from '../source-user.ts';
import { cellOf, type Row, type Seen, system, type Users } from './declare.ts';

/** Families by the kinds of hashes that need no change. */
const FAMILIES = new Map([
  ...['argon2', 'bcrypt', 'phpass'].map((kind) => [kind, kind] as const),
  ['md5', 'hex-md5'],
]);

/** Reads the password of an Appwrite user, by its kind (`hash`) and `hashOptions`. */
export function appwritePassword(record: SourceRecord, settings: Settings): SourcePassword | undefined {
  const encoded = hashText(record.password);
  if (encoded === undefined) return undefined;
  if (encoded.startsWith('{')) {
    return {
      problem: 'HASH_ENCRYPTED',
      message: 'the database keeps hashes encrypted: take the users from the API (GET /users)',
    };
  }
  const options = objectOf(record.hashOptions) ?? {};
  const kind = (textOf(record.hash) ?? '').toLowerCase();
  const algorithm = FAMILIES.get(kind);
  if (algorithm !== undefined) return { encoded, algorithm };
  switch (kind) {
    case 'sha':
      return shaHash(encoded, options, settings);
    case 'scrypt':
      return ofScrypt(encoded, options);
    case 'scryptmod':
      return ofFirebase(encoded, options);
    case 'plaintext':
      return { plainText: encoded };
    default:
      return selfDescribingHash(encoded);
  }
}

const SHA1_DIGITS = 40;
const DIGESTS = ['sha1', 'sha256', 'sha512'];

/**
 * Reads an unsalted SHA hash. Appwrite's API may not show its variant, and hashes of several variants have 64 digits.
 */
function shaHash(encoded: string, { version }: JsonObject, { shaVersion }: Settings): SourcePassword {
  const told = textOf(version) ?? shaVersion ?? (encoded.length === SHA1_DIGITS ? 'sha1' : undefined);
  if (told === undefined)
    return unknownAlgorithm('hashOptions does not say which digest it is: name it with --set shaVersion=…');
  const digest = told.toLowerCase();
  return DIGESTS.includes(digest)
    ? { encoded, algorithm: `hex-${digest}` }
    : unsupportedAlgorithm('digests of kind sha are taken of sha1, sha256 and sha512 only');
}

/** Reads scrypt. `costMemory` of Appwrite is the parameter r, and the salt is text, not base64. */
function ofScrypt(encoded: string, { costCpu, costMemory, costParallel, salt }: JsonObject): SourcePassword {
  return scryptHash({
    ...{ cost: costCpu, blockSize: costMemory, parallelization: costParallel },
    ...{ salt: bytesOf(salt, 'utf8'), hash: bytesOf(encoded, 'hex') },
  });
}

/**
 * Reads Firebase's scrypt. Appwrite always verifies it with N 16384 and r 8, even if the Firebase project had others.
 */
function ofFirebase(encoded: string, options: JsonObject): SourcePassword {
  const [salt, saltSeparator] = [textOf(options.salt), textOf(options.saltSeparator)];
  if (salt === undefined) return invalidHash('hashOptions of scryptMod must have a salt');
  return firebaseHash({
    hash: encoded,
    salt,
    memCost: '14',
    rounds: '8',
    saltSeparator: saltSeparator ?? '',
    signerKey: textOf(options.signerKey),
  });
}

/** Returns a key with the project, because projects that share tables may have users with the same id. */
const keyIn = ({ _tenant }: SourceRecord, id: string | undefined): string | undefined =>
  id === undefined ? undefined : `${textOf(_tenant) ?? ''}/${id}`;

const ID = '$id|_uid';

/** Returns `ANONYMOUS` for a user who has nothing to sign in with: only the session that created the user. */
function stateOf({ record, joined }: Row): UserState | undefined {
  const hasLogin =
    textOf(record.email) !== undefined ||
    textOf(record.phone) !== undefined ||
    isGiven(record.password) ||
    joined('identities').length > 0;
  return hasLogin ? undefined : 'ANONYMOUS';
}

const hasKind =
  (kind: string) =>
  ({ records }: Seen) =>
    records.some(({ hash }) => textOf(hash)?.toLowerCase() === kind);

const isUser = ({ emailVerification, registration }: SourceRecord) =>
  (emailVerification ?? registration) !== undefined;

/** Members that Appwrite adds to every document, in its API and in its tables. */
const OF_DOCUMENTS =
  '$id $createdAt $updatedAt $sequence $permissions $databaseId $collectionId $tableId $tenant _id _uid _tenant _createdAt _updatedAt _permissions';

const users: Omit<Users, 'forms'> = {
  has: `${ID} email emailVerification|registration prefs|hashOptions|passwordUpdate`,
  joins: {
    // The API has identities in a list of their own: `GET /users/identities`.
    identities: {
      table: 'identities',
      has: 'userId|userInternalId provider providerUid',
      // Sessions have a provider, too, and also a `userAgent`.
      hasNot: 'userAgent',
      on: (record) => keyIn(record, textOf(record.userId)),
      keep: 'provider userId=providerUid email=providerEmail',
      are: 'accounts',
      unused: `${OF_DOCUMENTS} userId userInternalId photo providerAccessToken providerAccessTokenExpiry providerRefreshToken secrets scopes expire`,
      missing:
        'The list of identities is missing (GET /users/identities). Without it social logins are lost: add that file.',
    },
  },
  isPrefixed: true,
  unusedTables:
    '*_perms challenges memberships messages presenceLogs providerRepositories sessions subscribers targets tokens',
  id: ID,
  key: (record) => keyIn(record, textOf(cellOf(record, ID))),
  verified: 'emailVerification',
  joined: 'registration|$createdAt|_createdAt',
  hash: ({ record, settings }) => appwritePassword(record, settings),
  metadata: 'name prefs{}',
  states: { status: 'active' },
  state: stateOf,
  phone: 'phone',
  factors: 'mfa',
  roles: ({ record }) => listOf(record.labels),
  reads: 'password hash hashOptions labels',
  unused: `${OF_DOCUMENTS} passwordUpdate passwordHistory phoneVerification targets accessedAt reset mfaRecoveryCodes authenticators sessions tokens challenges memberships search emailCanonical emailIsFree emailIsDisposable emailIsCorporate emailIsCanonical impersonator impersonatorUserId`,
  note: [
    {
      text: 'There are hashes of Firebase (scryptMod). hashOptions.signerKey is the signer key of the project: put it into external_password_hashing_signer_key of the service.',
      when: hasKind('scryptmod'),
    },
    {
      text: 'There are hashes of kind sha. Where hashOptions does not name the version, it must be named: --set shaVersion=sha256.',
      when: hasKind('sha'),
    },
  ],
  warning: {
    text: 'The first users have no password hashes. List them with a server key that has users.read: GET /users.',
    when: ({ records }) => {
      const users = records.filter(isUser);
      return users.length > 0 && users.every(({ password }) => textOf(password) === undefined);
    },
  },
};

/**
 * Users from Appwrite's API, or its table `_users` with encrypted hashes.
 * Schema: appwrite/appwrite (2026-08): app/config/collections/common.php, src/Appwrite/Utopia/Response/Model/User.php and Algo*.php
 */
export const appwrite = system('appwrite', 'Appwrite', [
  {
    settings: {
      ...SIGNER_KEY,
      shaVersion: 'the digest of hashes of kind sha: sha1, sha256, sha512',
    },
    ...users,
    forms: { json: 'appwrite-users' },
    has: users.has.replace(ID, '$id'),
    hasPages: true,
  },
  {
    ...users,
    forms: { sql: 'appwrite-tables', csv: 'appwrite-tables', json: 'appwrite-tables' },
    table: 'users',
    // Since Appwrite 1.6, projects can share tables, so each project is a realm.
    realms: { title: 'projects', column: '_tenant' },
  },
]);
