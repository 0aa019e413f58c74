import { firebaseHash, hashText, invalidHash, SIGNER_KEY, unknownAlgorithm } from '../fields/hashes.ts';
import { timeOf } from '../fields/time.ts';
import { bytesOf, flagOf, jsonOrText, objectOf, objectsOf, textOf } from '../fields/values.ts';
import type { Settings } from '../source.ts';
import type { SourcePassword } from '../source-user.ts';
import { type Identity, type Row, type Seen, system, type Users } from './declare.ts';

/** Base64 of REDACTED, which the Firebase CLI writes if the exporting account may not read hashes. */
const REDACTED = 'UkVEQUNURUQ=';
const isOfEmulator = (hash: string) => hash.startsWith('fakeHash:');

function passwordOf(hashCell: unknown, saltCell: unknown, settings: Settings): SourcePassword | undefined {
  const [hash, salt] = [hashText(hashCell), hashText(saltCell)];
  if (hash === undefined) return undefined;
  if (isOfEmulator(hash)) {
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

/** Removes line breaks, which old Firebase exports have inside base64 (firebase-tools#1648). */
const inOneLine = (base64: string) => base64.replace(/\s+/g, '');

/** Values of Firebase's `providerId` for ways to sign in that are not third-party providers. */
const NO_PROVIDER = new Set(['password', 'phone', 'emailLink', 'anonymous', 'custom', 'firebase']);

const identitiesOf = ({ record }: Row): Identity[] =>
  objectsOf(record.providerUserInfo).flatMap(({ providerId, rawId, email }) => {
    const provider = textOf(providerId);
    if (provider === undefined || NO_PROVIDER.has(provider)) return [];
    return [{ provider, userId: rawId, email, isSso: /^(?:saml|oidc)\./.test(provider) }];
  });

/** Tenants of Identity Platform. Users of the Firebase project itself belong to no tenant. */
const TENANTS = { title: 'tenants', column: 'tenantId' };

const WHERE = 'Firebase console, Authentication, Users, the menu with three dots, Password hash parameters';

/** Rules for users in the form of the CLI's JSON. The other forms bring theirs into it by `as`. */
const users = {
  hasPages: true,
  settings: {
    memCost: 'mem_cost of the hash parameters',
    rounds: 'rounds of the hash parameters',
    saltSeparator: 'base64_salt_separator of the hash parameters',
    ...SIGNER_KEY,
  },
  email: 'email',
  verified: ({ record }) => flagOf(record.emailVerified),
  joined: ({ record }) => timeOf(record.createdAt),
  hash: ({ record, settings }) => passwordOf(record.passwordHash, record.salt, settings),
  identities: identitiesOf,
  metadata: ({ record: { displayName, photoUrl, customAttributes } }) => ({
    displayName,
    photoUrl,
    customAttributes: jsonOrText(customAttributes),
  }),
  states: { disabled: 'disabled' },
  // Users who were never asked for a way to sign in.
  state: (row) =>
    [row.record.email, row.record.phoneNumber, ...identitiesOf(row).map(({ userId }) => userId)].every(
      (one) => textOf(one) === undefined,
    )
      ? 'ANONYMOUS'
      : undefined,
  phone: 'phoneNumber',
  factors: ({ record }) => objectsOf(record.mfaInfo).length > 0,
  note: 'Firebase exports no hash of users who were imported there with another algorithm and have not signed in since, and drops accounts at own OIDC and SAML providers.',
  warning: [
    {
      text: 'This is an export of the emulator: it has no hashes. Export the project itself: npx firebase-tools auth:export users.json --format=json --project <project>',
      when: (seen) => hashesIn(seen).some(isOfEmulator),
    },
    {
      text: 'The hashes are redacted: the account that exported lacks the permission firebaseauth.configs.getHashConfig. Export again as an owner of the project: npx firebase-tools auth:export users.json --format=json',
      when: (seen) => hashesIn(seen).includes(REDACTED),
    },
    {
      text: 'The service must have base64_signer_key of this project: start it with EXTERNAL_PASSWORD_HASHING_SIGNER_KEY, or with one of hashing_secrets. With the key of another project nobody could sign in: where the key is in the files, the import asks whether the service has it. Try a password that you know first: user-import prove FILE… --email ADDRESS',
      when: (seen) => ownHashes(seen).length > 0 && !lacksParameters(seen) && !isOfOtherProject(seen),
    },
    {
      text: 'The first users have no hash. Export as an owner of the project: npx firebase-tools auth:export users.json --format=json',
      when: (seen) => seen.records.length > 0 && ownHashes(seen).length === 0,
    },
  ],
  stop: [
    {
      text: `The hash parameters of the project are missing. Copy the block hash_config (${WHERE}) into a text file and name it beside the export: user-import import users.json hash_config.txt. A file that was made for auth:import with another algorithm is a table of your own, with hashes in base64. For bcrypt: --from generic --map id=localId,email=email --hash '{passwordHash|base64|text}'`,
      when: (seen) => ownHashes(seen).length > 0 && lacksParameters(seen),
    },
    {
      text: `The hash parameters are of another project: hashes and base64_signer_key differ in length. Copy the block hash_config of the project that was exported (${WHERE}).`,
      when: (seen) => !lacksParameters(seen) && isOfOtherProject(seen),
    },
  ],
} as const satisfies Partial<Users>;

const json: Users = {
  ...users,
  forms: { json: 'firebase-json' },
  has: 'localId',
  id: 'localId',
  realms: TENANTS,
  isSparse: true,
  reads:
    'emailVerified createdAt passwordHash salt providerUserInfo displayName photoUrl customAttributes mfaInfo',
  unused:
    'lastSignedInAt lastLoginAt lastRefreshAt passwordUpdatedAt validSince version customAuth screenName initialEmail ' +
    'emailLinkSignin language timeZone dateOfBirth federatedId',
};

/**
 * Providers in Firebase's CSV, each with the index of the first of its four cells: id, e-mail, name, photo. Only CLIs
 * since 2026-05-27 write cells from 28 on.
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
].map(([provider, at]) => ({ providerId: `${provider}`, idCell: `${at}`, emailCell: `${Number(at) + 1}` }));

/** Numbers of cells in rows of Firebase's CSV: old and new CLIs, each without and with a comma at the end of lines. */
const NARROW_CELLS = [28, 29];
const WIDE_CELLS = [52, 53];

/** Every cell that a row can have, by its index. */
const ALL_CELLS = Array.from({ length: Math.max(...WIDE_CELLS) }, (_, index) => index).join(' ');

/** Members by the index of their cell. */
const MEMBERS = {
  ...{ 1: 'email', 2: 'emailVerified', 3: 'passwordHash', 4: 'salt', 5: 'displayName', 6: 'photoUrl' },
  ...{ 23: 'createdAt', 25: 'phoneNumber', 27: 'customAttributes' },
};

const csv: Users = {
  ...users,
  forms: { csv: 'firebase-csv' },
  has: '',
  only: ({ cells = 0, first: [record] }) =>
    [...NARROW_CELLS, ...WIDE_CELLS].includes(cells) &&
    (record?.['2'] === 'true' || record?.['2'] === 'false'),
  id: '0',
  as: ({ record }) => ({
    ...record,
    ...Object.fromEntries(Object.entries(MEMBERS).map(([cell, name]) => [name, record[cell]])),
    providerUserInfo: PROVIDER_CELLS.map(({ providerId, idCell, emailCell }) => ({
      ...{ providerId, rawId: record[idCell], email: record[emailCell] },
    })).filter(({ rawId }) => textOf(rawId) !== undefined),
  }),
  states: { 26: 'disabled' },
  stateReads: '26',
  unused: ALL_CELLS,
  warning: [
    ...users.warning,
    {
      text: 'An old CLI wrote this CSV: a name in it may contain the rows of other users, because quotes were not escaped, accounts at Apple, Microsoft and others are missing, and users who have no other way to sign in are skipped. Export JSON with a new CLI instead: npx firebase-tools@latest auth:export users.json --format=json',
      when: ({ tables }) => tables.some(({ cells = 0 }) => NARROW_CELLS.includes(cells)),
    },
  ],
};

/** Result of `listUsers()` of Firebase's Admin SDK, as JSON. */
const adminSdk: Users = {
  ...users,
  forms: { json: 'firebase-admin-sdk' },
  has: 'uid providerData metadata|passwordSalt',
  id: 'uid',
  realms: TENANTS,
  as: ({ record }) => ({
    ...record,
    createdAt: objectOf(record.metadata)?.creationTime,
    salt: record.passwordSalt,
    photoUrl: record.photoURL,
    customAttributes: record.customClaims,
    providerUserInfo: objectsOf(record.providerData).map((one) => ({ ...one, rawId: one.uid })),
    mfaInfo: objectOf(record.multiFactor)?.enrolledFactors,
  }),
  stateReads: 'disabled',
  reads: 'email emailVerified passwordHash displayName photoURL phoneNumber customClaims multiFactor',
  unused: 'tokensValidAfterTime',
};

function hashesIn({ records }: Seen): string[] {
  return records.flatMap((record) => textOf(record.passwordHash ?? record['3']) ?? []);
}

/** Returns the hashes that were made with the signer key of the project: not redacted, and not of the emulator. */
function ownHashes(seen: Seen): string[] {
  return hashesIn(seen).filter((hash) => hash !== REDACTED && !isOfEmulator(hash));
}

const lacksParameters = ({ settings: { memCost, rounds, saltSeparator } }: Seen) =>
  memCost === undefined || rounds === undefined || saltSeparator === undefined;

/** Whether the signer key is of another project: the right one has the same length as the hashes. */
function isOfOtherProject(seen: Seen): boolean {
  const keyBytes = bytesOf(seen.settings.signerKey, 'base64')?.length;
  const lengths = ownHashes(seen).flatMap((hash) => bytesOf(inOneLine(hash), 'base64')?.length ?? []);
  return keyBytes !== undefined && lengths.length > 0 && !lengths.includes(keyBytes);
}

/** Schema: firebase/firebase-tools: src/accountExporter.ts, and googleapis/google-api-nodejs-client: identitytoolkit v1 UserInfo */
export const firebase = system('firebase', 'Firebase Auth', [json, csv, adminSdk]);
