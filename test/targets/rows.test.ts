import { expect, it } from 'vitest';
import { parseOnlyRegistry } from '../../src/hashing/registry.ts';
import { isParsedUser } from '../../src/imports/input/parsed-user.ts';
import { readLine } from '../../src/imports/input/read-line.ts';
import { profileOf } from '../../src/targets/profile.ts';
import { TARGETS, TargetWriter } from '../../src/targets/targets.ts';

const BCRYPT = '$2b$04$GzhdgvG8vx9h79RD80PzjOy0oNpAb9I/J4sfUC8seRipLst.YjBfe';
const ARGON2_4_LANES = '$argon2id$v=19$m=32,t=1,p=4$c29tZXNhbHQ$MDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDA';
const PBKDF2 = (rounds: number) => `pbkdf2_sha256$${rounds}$salt$${Buffer.alloc(32, 1).toString('base64')}`;
const PHPBB = '$H$9IQRaTwmfeRo7ud9Fh4E2PdI0S3r.L0';

const deps = {
  registry: parseOnlyRegistry(),
  now: Date.now,
  keepsFactors: true,
  maxLineBytes: 1_000_000,
};

/** Converts users, and returns them as the files hold them, by file, with what is left out of all of them. */
function filesOf(target: string, ...users: object[]) {
  const row = TARGETS[target];
  if (row === undefined) throw new Error(target);
  const texts = new Map<string, string>();
  const writer = new TargetWriter(row, {
    signerKey: undefined,
    create: (name) => ({
      write: (text) => texts.set(name, (texts.get(name) ?? '') + text),
      close() {},
    }),
  });
  const leftOut: string[] = [];
  const lost: (string | undefined)[] = [];
  for (const user of users) {
    const parsed = readLine(deps, { line: 1, text: JSON.stringify(user) });
    if (!isParsedUser(parsed)) throw new Error(JSON.stringify(parsed));
    const prepared = writer.prepare(parsed);
    writer.write(prepared.user);
    leftOut.push(...prepared.leftOut);
    lost.push(prepared.lostPassword);
  }
  const steps = writer.end();
  return { texts, steps, leftOut, lost };
}

/** Returns a user as the first file holds it. */
function userOf(target: string, user: object): Record<string, unknown> {
  const [text = ''] = filesOf(target, user).texts.values();
  const read = JSON.parse(text);
  const [first] = Array.isArray(read) ? read : (read.users ?? read.identities ?? [read]);
  return first.create ?? first;
}

const login = (more: object = {}) => ({
  ...{ recipeId: 'emailpassword', email: 'a@x.org', passwordHash: BCRYPT, ...more },
});
const person = (more: object = {}, loginMore: object = {}) => ({ ...more, loginMethods: [login(loginMore)] });
const device = (more: object = {}) => ({ secretKey: 'JBSWY3DPEHPK3PXP', period: 30, skew: 1, ...more });
const NAMES = {
  ...{ first_name: 'Ada', last_name: 'Lovelace', username: 'ada', avatar_url: 'https://x.org/a.png' },
  ...{ language: 'de_DE', timezone: 'Europe/Berlin', plan: 'gold' },
};
const named = (userMetadata: object) => person({ userMetadata });
const google = { recipeId: 'thirdparty', thirdPartyId: 'google', thirdPartyUserId: 'g-1', email: 'g@x.org' };
const okta = { ...google, thirdPartyId: 'okta' };
const passwordOfOkta = (hash: object) => ({ credentials: { password: { hash } } });
const OF_ALGORITHM = { hashingAlgorithm: 'phpass' };

/** Users, and members that the target's files have. Undefined: the member is missing. */
const CASES: [target: string, what: string, user: object, members: object][] = [
  [
    'kratos',
    'names, metadata as it is, the state, and no device',
    person({ userMetadata: NAMES, disabled: true, totpDevices: [device()] }),
    {
      traits: { email: 'a@x.org', name: { first: 'Ada', last: 'Lovelace' } },
      metadata_admin: { userMetadata: NAMES },
      ...{ state: 'inactive', verifiable_addresses: undefined },
      credentials: { password: expect.anything() },
    },
  ],
  [
    'kratos',
    'a password in the clear',
    person({}, { passwordHash: undefined, plainTextPassword: 'p' }),
    {
      ...{ traits: { email: 'a@x.org' }, metadata_admin: undefined, state: 'active' },
      credentials: { password: { config: { password: 'p' } } },
    },
  ],
  [
    'keycloak',
    'names and attributes of its scope profile, and never a user name of the metadata',
    named(NAMES),
    {
      ...{ username: 'a@x.org', firstName: 'Ada', lastName: 'Lovelace', enabled: true },
      attributes: {
        ...{ picture: ['https://x.org/a.png'], locale: ['de-DE'], zoneinfo: ['Europe/Berlin'] },
        userMetadata: [JSON.stringify(NAMES)],
      },
    },
  ],
  [
    'keycloak',
    'devices with 6 or 8 digits, and neither names that it refuses nor metadata that is too long',
    person({
      userMetadata: { firstName: 'A<b>', lastName: 'x'.repeat(256), text: 'x'.repeat(2048) },
      totpDevices: [device({ digits: 7 }), device({ digits: 8, period: 60, algorithm: 'SHA256' })],
      disabled: true,
    }),
    {
      ...{ firstName: undefined, lastName: undefined, attributes: undefined, enabled: false },
      credentials: [
        expect.objectContaining({
          ...{ type: 'otp', secretData: '{"value":"JBSWY3DPEHPK3PXP"}' },
          credentialData: expect.stringContaining(
            '"digits":8,"counter":0,"period":60,"algorithm":"HmacSHA256"',
          ),
        }),
      ],
    },
  ],
  [
    'keycloak-hash',
    'a hash that the provider asks about',
    person({}, { passwordHash: PHPBB, ...OF_ALGORITHM }),
    {
      credentials: [
        {
          type: 'password',
          credentialData: JSON.stringify({
            ...{ algorithm: 'user-import', hashIterations: 1 },
            additionalParameters: { hashingAlgorithm: ['phpass'] },
          }),
          secretData: JSON.stringify({ value: PHPBB, salt: '', additionalParameters: {} }),
        },
      ],
    },
  ],
  [
    'better-auth',
    'a row of each table',
    {
      externalUserId: '42',
      loginMethods: [login({ isVerified: true, timeJoinedInMSSinceEpoch: 0 }), google],
    },
    {
      user: {
        ...{ id: '42', name: 'a@x.org', email: 'a@x.org', emailVerified: true },
        createdAt: '1970-01-01T00:00:00.000Z',
        updatedAt: '1970-01-01T00:00:00.000Z',
      },
      account: [
        expect.objectContaining({
          userId: '42',
          providerId: 'credential',
          password: `legacy:bcrypt:${BCRYPT}`,
        }),
        expect.objectContaining({ userId: '42', providerId: 'google', accountId: 'g-1' }),
      ],
    },
  ],
  [
    'okta',
    'bcrypt in its parts',
    named(NAMES),
    {
      profile: { firstName: 'Ada', lastName: 'Lovelace', email: 'a@x.org', login: 'a@x.org' },
      ...passwordOfOkta({
        ...{ algorithm: 'BCRYPT', workFactor: 4, salt: 'GzhdgvG8vx9h79RD80PzjO' },
        value: 'y0oNpAb9I/J4sfUC8seRipLst.YjBfe',
      }),
    },
  ],
  [
    'okta',
    'PBKDF2',
    person({}, { passwordHash: PBKDF2(1000) }),
    passwordOfOkta({
      ...{ algorithm: 'PBKDF2', salt: 'c2FsdA==', value: Buffer.alloc(32, 1).toString('base64') },
      ...{ iterationCount: 1000, keySize: 32, digestAlgorithm: 'SHA256_HMAC' },
    }),
  ],
  [
    'auth0',
    'names, the user name as nickname, devices of SHA-1, 6 digits and 30 s only, and no phone number',
    person({
      ...{ userMetadata: NAMES, disabled: true, phoneNumbers: ['+4930123'] },
      totpDevices: [device({ digits: 8 }), device({ period: 60 }), device({ algorithm: 'SHA256' }), device()],
    }),
    {
      ...{ given_name: 'Ada', family_name: 'Lovelace', name: 'Ada Lovelace', nickname: 'ada', blocked: true },
      ...{ picture: 'https://x.org/a.png', username: undefined, app_metadata: { userMetadata: NAMES } },
      mfa_factors: [{ totp: { secret: 'JBSWY3DPEHPK3PXP' } }],
    },
  ],
  [
    'auth0',
    'no name that is too long, and no hash with four lanes',
    person({ userMetadata: { given_name: 'x'.repeat(151) } }, { passwordHash: ARGON2_4_LANES }),
    { given_name: undefined, custom_password_hash: undefined, mfa_factors: undefined },
  ],
  [
    'auth0',
    'no password in the clear, which its schema does not have',
    person({}, { passwordHash: undefined, plainTextPassword: 'p' }),
    { password: undefined },
  ],
  [
    'firebase',
    'a name, a picture, the state, and logins of its own providers',
    { userMetadata: NAMES, disabled: true, loginMethods: [login(), google, okta] },
    {
      ...{ displayName: 'Ada Lovelace', photoUrl: 'https://x.org/a.png', disabled: true },
      providerUserInfo: [{ providerId: 'google.com', rawId: 'g-1', email: 'g@x.org' }],
    },
  ],
  [
    'firebase',
    'up to 120,000 rounds, a display name, and no picture that is no URL',
    person(
      { userMetadata: { display_name: 'Ada', picture: 'javascript:alert(1)' } },
      { passwordHash: PBKDF2(120_000) },
    ),
    { displayName: 'Ada', photoUrl: undefined, salt: expect.any(String) },
  ],
  ['firebase', 'not more rounds', person({}, { passwordHash: PBKDF2(120_001) }), { passwordHash: undefined }],
  [
    'clerk',
    'names, the language, an unverified address as reserved, and the first device that it can compute',
    person(
      {
        ...{ externalUserId: 'u1', userMetadata: NAMES, disabled: true },
        totpDevices: [device({ digits: 8 }), device()],
      },
      { timeJoinedInMSSinceEpoch: 1_600_000_000_000 },
    ),
    {
      ...{ external_id: 'u1', created_at: '2020-09-13T12:26:40.000Z' },
      ...{ password_hasher: 'bcrypt', password_digest: BCRYPT },
      ...{ first_name: 'Ada', last_name: 'Lovelace', locale: 'de-DE', username: undefined, banned: true },
      ...{ email_address: ['a@x.org'], email_address_identification_status: ['reserved'] },
      totp_secret: 'JBSWY3DPEHPK3PXP',
    },
  ],
  [
    'clerk',
    "a verified address, phpBB's hash in the form of phpass, and no device of 60 s",
    person(
      { totpDevices: [device({ period: 60 })] },
      { isVerified: true, passwordHash: PHPBB, ...OF_ALGORITHM },
    ),
    {
      ...{ email_address_identification_status: undefined, banned: undefined, totp_secret: undefined },
      ...{ password_hasher: 'phpass', password_digest: PHPBB.replace('$H$', '$P$') },
    },
  ],
  ['clerk', 'no login at a provider', { loginMethods: [google] }, { skip_password_requirement: true }],
];

it.each(CASES)('%s gets %s', (target, _, user, members) => {
  const found = userOf(target, user);
  const names = Object.keys(members);
  expect(Object.fromEntries(names.map((name) => [name, found[name]]))).toEqual(members);
});

it('every target has cases', () => {
  expect([...new Set(CASES.map(([target]) => target))].sort()).toEqual(Object.keys(TARGETS).sort());
});

/** What is counted as left out of a user with everything. */
it.each([
  ['kratos', ['TOTP devices', 'roles', 'phone numbers', 'times of joining']],
  ['keycloak', []],
  ['auth0', ['roles', 'phone numbers', 'logins at providers', 'times of joining']],
  ['firebase', ['TOTP devices', 'roles', 'phone numbers', 'metadata', 'logins at providers']],
  ['clerk', ['roles', 'phone numbers', 'logins at providers']],
])('%s has no place for %j', (target, kinds) => {
  const user = {
    ...{ externalUserId: 'x'.repeat(128), userMetadata: NAMES, totpDevices: [device()] },
    ...{ userRoles: [{ role: 'admin' }], phoneNumbers: ['+4930123'] },
    loginMethods: [login({ timeJoinedInMSSinceEpoch: 1 }), google, okta],
  };
  expect(filesOf(target, user).leftOut).toEqual(kinds);
});

const inClear = person({}, { passwordHash: undefined, plainTextPassword: 'p' });

it.each<[string, string, object[], Record<string, number>]>([
  ['kratos', 'identities', Array(1001).fill(person()), { 'identities-00001': 1000, 'identities-00002': 1 }],
  ['keycloak', 'users', Array(501).fill(person()), { 'users-00001': 500, 'users-00002': 1 }],
  // Kratos hashes passwords in the clear, so it gets at most 200 of them in a file.
  [
    'kratos',
    'identities',
    [...Array(201).fill(inClear), person()],
    { 'identities-to-hash-00001': 200, 'identities-to-hash-00002': 1, 'identities-00001': 1 },
  ],
])('%s gets files of limited size: %s', (target, name, users, files) => {
  const { texts } = filesOf(target, ...users);
  const counts = [...texts].map(([file, text]) => [file.replace('.json', ''), JSON.parse(text)[name].length]);
  expect(Object.fromEntries(counts)).toEqual(files);
});

it('firebase gets a file for each algorithm and its parameters, up to 100', () => {
  const users = Array.from({ length: 102 }, (_, index) => person({}, { passwordHash: PBKDF2(1000 + index) }));
  const { texts, lost, steps } = filesOf('firebase', ...users);
  expect([texts.size, steps.length, lost.filter((family) => family !== undefined)]).toEqual([
    101,
    101,
    ['django-pbkdf2', 'django-pbkdf2'],
  ]);
  expect(texts.has('pbkdf2-sha256-1000.json')).toBe(true);
});

it.each([
  [
    { firstName: 'A', lastName: 'B' },
    { given_name: 'A', family_name: 'B', name: 'A B' },
  ],
  [{ FIRST_NAME: ' A ' }, { given_name: 'A', name: 'A' }],
  [
    { givenname: 'A', surname: 'B', display_name: 'C' },
    { given_name: 'A', family_name: 'B', name: 'C' },
  ],
  [{ traits: { name: { first: 'A', last: 'B' } } }, { given_name: 'A', family_name: 'B', name: 'A B' }],
  [
    { name: { first_name: 'A' }, username: 'n' },
    { given_name: 'A', name: 'A', preferred_username: 'n' },
  ],
  [
    { profile: { displayName: 'C', nickname: 'D' }, name: 'E' },
    { name: 'E', nickname: 'D' },
  ],
  [
    { user_metadata: { full_name: 'C', avatar_url: 'http://x.org/' } },
    { name: 'C', picture: 'http://x.org/' },
  ],
  [{ locale: 'zh_hant_tw' }, { locale: 'zh-Hant-TW' }],
  [{ language: 'german', name: '', picture: 7, nickname: 'a\u0000b', timezone: null }, {}],
  [{ first: 'A', other: { first_name: 'A' } }, {}],
  [{}, {}],
])('the profile of %j is known', (metadata, profile) => {
  const found = profileOf(JSON.stringify(metadata));
  expect(Object.fromEntries(Object.entries(found).filter(([, text]) => text !== undefined))).toEqual(profile);
});
