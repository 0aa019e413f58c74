import type { SourceRecord, TableHead } from '../containers/table.ts';
import { bytesOf } from '../fields/bytes.ts';
import { firstUsers } from '../fields/first-users.ts';
import { firebaseHash, invalidHash, unknownAlgorithm } from '../fields/hashes.ts';
import { stateOfFlag } from '../fields/read-state.ts';
import { REALM, realmsInColumn } from '../fields/realms.ts';
import { SIGNER_KEY } from '../fields/signer-key.ts';
import { timeOf } from '../fields/time.ts';
import { flagOf, jsonOrText, metadataOf, objectOf, objectsOf, textOf } from '../fields/values.ts';
import type { Advice, Form, ReadContext, Settings, Source } from '../source.ts';
import type { SourceIdentity, SourcePassword, SourceUser } from '../source-user.ts';

/** Base64 of REDACTED, which the Firebase CLI writes if the exporting account may not read hashes. */
const REDACTED = 'UkVEQUNURUQ=';

interface Fields {
  id: unknown;
  email: unknown;
  verified: unknown;
  hash: unknown;
  salt: unknown;
  name: unknown;
  photo: unknown;
  createdAt: unknown;
  phone: unknown;
  disabled: unknown;
  claims: unknown;
  identities: readonly SourceIdentity[];
  hasMfa: boolean;
}

function readUser(fields: Fields, { settings, drop }: ReadContext): SourceUser {
  const { identities } = fields;
  const email = textOf(fields.email);
  const hasPhone = textOf(fields.phone) !== undefined;
  if (hasPhone && email !== undefined) drop('phone numbers', [fields.phone]);
  if (fields.hasMfa) drop('mfa');
  const isAnonymous = email === undefined && !hasPhone && identities.length === 0;
  return {
    externalUserId: textOf(fields.id),
    email,
    isVerified: flagOf(fields.verified),
    timeJoinedMs: timeOf(fields.createdAt),
    password: passwordOf(textOf(fields.hash), textOf(fields.salt), settings),
    identities,
    metadata: metadataOf({
      displayName: fields.name,
      photoUrl: fields.photo,
      customAttributes: jsonOrText(fields.claims),
    }),
    state:
      stateOfFlag('disabled', fields.disabled, true, settings) ?? (isAnonymous ? 'ANONYMOUS' : undefined),
    hasPhone,
  };
}

function passwordOf(
  hash: string | undefined,
  salt: string | undefined,
  settings: Settings,
): SourcePassword | undefined {
  if (hash === undefined) return undefined;
  if (hash.startsWith('fakeHash:')) {
    return {
      problem: 'EMULATOR_EXPORT',
      message: 'this is an export of the emulator, which computes no hashes',
    };
  }
  if (hash === REDACTED) {
    return { problem: 'HASH_REDACTED', message: 'the account that exported may not read hashes' };
  }
  if (salt === undefined) return invalidHash('the salt is missing');
  const { memCost, rounds, saltSeparator, algorithm } = settings;
  if (algorithm !== undefined && algorithm.toUpperCase() !== 'SCRYPT') {
    return unknownAlgorithm('the hash parameters are not those of SCRYPT');
  }
  if (memCost === undefined || rounds === undefined || saltSeparator === undefined) {
    return invalidHash('the hash parameters of the project are missing: memCost, rounds, saltSeparator');
  }
  return firebaseHash({ hash: inOneLine(hash), salt: inOneLine(salt), memCost, rounds, saltSeparator });
}

/** Old Firebase exports have line breaks inside base64 (firebase-tools#1648). */
const inOneLine = (base64: string) => base64.replace(/\s+/g, '');

/** Values of Firebase's `providerId` for ways to sign in that are not third-party providers. */
const NO_PROVIDER = new Set(['password', 'phone', 'emailLink', 'anonymous', 'custom', 'firebase']);

function identitiesOf(providers: unknown, idName: 'rawId' | 'uid', { drop }: ReadContext): SourceIdentity[] {
  const identities: SourceIdentity[] = [];
  for (const one of objectsOf(providers)) {
    const provider = textOf(one.providerId);
    if (provider === undefined || NO_PROVIDER.has(provider)) continue;
    const userId = textOf(one[idName]);
    if (userId === undefined) drop('identities without an id');
    else
      identities.push({
        provider,
        userId,
        email: textOf(one.email),
        isSso: /^(?:saml|oidc)\./.test(provider),
      });
  }
  return identities;
}

/** Tenants of Identity Platform. Users of the Firebase project itself belong to no tenant. */
const TENANTS = realmsInColumn('tenants', 'tenantId');

const json: Form = {
  name: 'firebase-json',
  hasPages: true,
  isUsers: ({ container, columns }) => container === 'json' && columns.has('localId'),
  realms: TENANTS,
  read: (record, context) =>
    readUser(
      {
        id: record.localId,
        email: record.email,
        verified: record.emailVerified,
        hash: record.passwordHash,
        salt: record.salt,
        name: record.displayName,
        photo: record.photoUrl,
        createdAt: record.createdAt,
        phone: record.phoneNumber,
        disabled: record.disabled,
        claims: record.customAttributes,
        identities: identitiesOf(record.providerUserInfo, 'rawId', context),
        hasMfa: objectsOf(record.mfaInfo).length > 0,
      },
      context,
    ),
  advice: (seen) => adviceOn(json, seen),
};

/**
 * Index of the first of the four CSV cells that Firebase writes for each provider: id, e-mail, name, photo.
 * Cells from 28 on are written by CLIs since 2026-05-27.
 */
const PROVIDER_CELLS = [
  ['google.com', 7],
  ['facebook.com', 11],
  ['twitter.com', 15],
  ['github.com', 19],
  ['apple.com', 28],
  ['microsoft.com', 32],
  ['gc.apple.com', 36],
  ['playgames.google.com', 40],
  ['linkedin.com', 44],
  ['yahoo.com', 48],
].map(([provider, at]) => ({ provider: `${provider}`, idCell: `${at}`, emailCell: `${Number(at) + 1}` }));

/** Cells in rows of Firebase's CSV export, without and with the comma at the end of each line. */
const NARROW_CELLS = [28, 29];
const WIDE_CELLS = [52, 53];

const csv: Form = {
  name: 'firebase-csv',
  hasPages: true,
  isUsers: ({ container, cells = 0, first: [record] }) =>
    container === 'csv' &&
    [...NARROW_CELLS, ...WIDE_CELLS].includes(cells) &&
    (record?.['2'] === 'true' || record?.['2'] === 'false'),
  read(record, context) {
    const identities: SourceIdentity[] = [];
    for (const { provider, idCell, emailCell } of PROVIDER_CELLS) {
      const userId = textOf(record[idCell]);
      if (userId !== undefined) identities.push({ provider, userId, email: textOf(record[emailCell]) });
    }
    return readUser(
      {
        id: record['0'],
        email: record['1'],
        verified: record['2'],
        hash: record['3'],
        salt: record['4'],
        name: record['5'],
        photo: record['6'],
        createdAt: record['23'],
        phone: record['25'],
        disabled: record['26'],
        claims: record['27'],
        identities,
        hasMfa: false,
      },
      context,
    );
  },
  advice: (seen) => [
    ...adviceOn(csv, seen),
    ...(seen.tables.some(({ cells = 0 }) => NARROW_CELLS.includes(cells)) ? [NARROW_CSV] : []),
  ],
};

const NARROW_CSV: Advice = {
  level: 'warn',
  text: 'An old CLI wrote this CSV: a name in it may contain the rows of other users, because quotes were not escaped, accounts at Apple, Microsoft and others are missing, and users who have no other way to sign in are skipped. Export JSON with a new CLI instead: npx firebase-tools@latest auth:export users.json --format=json',
};

/** Result of `listUsers()` of Firebase's Admin SDK, as JSON. */
const adminSdk: Form = {
  name: 'firebase-admin-sdk',
  hasPages: true,
  isUsers: ({ container, columns }) =>
    container === 'json' &&
    columns.has('uid') &&
    columns.has('providerData') &&
    (columns.has('metadata') || columns.has('passwordSalt')),
  realms: TENANTS,
  read: (record, context) =>
    readUser(
      {
        id: record.uid,
        email: record.email,
        verified: record.emailVerified,
        hash: record.passwordHash,
        salt: record.passwordSalt,
        name: record.displayName,
        photo: record.photoURL,
        createdAt: objectOf(record.metadata)?.creationTime,
        phone: record.phoneNumber,
        disabled: record.disabled,
        claims: record.customClaims,
        identities: identitiesOf(record.providerData, 'uid', context),
        hasMfa: objectsOf(objectOf(record.multiFactor)?.enrolledFactors).length > 0,
      },
      context,
    ),
  advice: (seen) => adviceOn(adminSdk, seen),
};

function adviceOn(form: Form, seen: { tables: readonly TableHead[]; settings: Settings }): Advice[] {
  const { settings } = seen;
  const found = firstUsers(form, seen);
  const hashes = hashesOf(seen.tables);
  const advice: Advice[] = [];
  if (found.hasProblem('EMULATOR_EXPORT')) advice.push(EMULATOR);
  if (found.hasProblem('HASH_REDACTED')) advice.push(REDACTED_HASHES);
  if (hashes.length > 0) advice.push(...adviceOnParameters(hashes, settings));
  if (found.users.length > 0 && hashes.length === 0) advice.push(NO_HASHES);
  return [...advice, SOME_WITHOUT_HASH];
}

/** Values that may be hashes of the Firebase project, without those that are redacted or of the emulator. */
const hashesOf = (tables: readonly TableHead[]): string[] =>
  tables
    .flatMap(({ first }) => first)
    .flatMap((record: SourceRecord) => textOf(record.passwordHash ?? record['3']) ?? [])
    .filter((hash) => hash !== REDACTED && !hash.startsWith('fakeHash:'));

function adviceOnParameters(hashes: readonly string[], settings: Settings): Advice[] {
  const { memCost, rounds, saltSeparator, signerKey } = settings;
  if (memCost === undefined || rounds === undefined || saltSeparator === undefined) return [NO_PARAMETERS];
  const keyBytes = bytesOf(signerKey, 'base64')?.length;
  if (keyBytes === undefined) return [TAKE_SIGNER_KEY];
  const lengths = hashes.flatMap((hash) => bytesOf(inOneLine(hash), 'base64')?.length ?? []);
  return lengths.length > 0 && !lengths.includes(keyBytes) ? [OTHER_PROJECT] : [TAKE_SIGNER_KEY];
}

const WHERE = 'Firebase console, Authentication, Users, the menu with three dots, Password hash parameters';

const NO_PARAMETERS: Advice = {
  level: 'stop',
  text: `The hash parameters of the project are missing. Copy the block hash_config (${WHERE}) into a text file and name it beside the export: user-import import users.json hash_config.txt`,
};
const OTHER_PROJECT: Advice = {
  level: 'stop',
  text: `The hash parameters are of another project: hashes and base64_signer_key differ in length. Copy the block hash_config of the project that was exported (${WHERE}).`,
};
const TAKE_SIGNER_KEY: Advice = {
  level: 'warn',
  text: 'The service must have base64_signer_key of this project: start it with EXTERNAL_PASSWORD_HASHING_SIGNER_KEY, or with one of hashing_secrets. With the key of another project nobody could sign in: where the key is in the files, the import asks whether the service has it. Try a password that you know first: user-import prove FILE… --email ADDRESS',
};
const EMULATOR: Advice = {
  level: 'warn',
  text: 'This is an export of the emulator: it has no hashes. Export the project itself: npx firebase-tools auth:export users.json --format=json --project <project>',
};
const REDACTED_HASHES: Advice = {
  level: 'warn',
  text: 'The hashes are redacted: the account that exported lacks the permission firebaseauth.configs.getHashConfig. Export again as an owner of the project: npx firebase-tools auth:export users.json --format=json',
};
const NO_HASHES: Advice = {
  level: 'warn',
  text: 'The first users have no hash. Export as an owner of the project: npx firebase-tools auth:export users.json --format=json',
};
const SOME_WITHOUT_HASH: Advice = {
  level: 'note',
  text: 'Firebase exports no hash of users who were imported there with another algorithm and have not signed in since, and drops accounts at own OIDC and SAML providers.',
};

export const firebase: Source = {
  name: 'firebase',
  title: 'Firebase Auth',
  forms: [json, csv, adminSdk],
  settings: {
    memCost: 'mem_cost of the hash parameters',
    rounds: 'rounds of the hash parameters',
    saltSeparator: 'base64_salt_separator of the hash parameters',
    ...SIGNER_KEY,
    ...REALM,
  },
};
