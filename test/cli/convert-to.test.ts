import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { BCRYPT, readNdjson, runCli, scratch } from './command-line.ts';

const ARGON2 = '$argon2id$v=19$m=8,t=1,p=1$c29tZXNhbHQ$MDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDA';
const PHPASS = '$P$9IQRaTwmfeRo7ud9Fh4E2PdI0S3r.L0';
const login = (email: string, more: object) => ({ recipeId: 'emailpassword', email, ...more });

const ID = '7d5f0a3e-35ba-4f0e-9c0e-0123456789ab';

/** Users of every kind, with the lines of an export. */
const USERS = [
  {
    externalUserId: ID,
    userMetadata: { name: 'Ada', big: 1 },
    totpDevices: [{ secretKey: 'JBSWY3DPEHPK3PXP', period: 30, skew: 1, digits: 6, algorithm: 'SHA1' }],
    userRoles: [{ role: 'admin' }],
    phoneNumbers: ['+491'],
    loginMethods: [
      login('ada@example.com', {
        isVerified: true,
        timeJoinedInMSSinceEpoch: 1_600_000_000_000,
        passwordHash: BCRYPT,
        hashingAlgorithm: 'bcrypt',
        isPrimary: true,
      }),
      {
        recipeId: 'thirdparty',
        email: 'ada@gmail.com',
        thirdPartyId: 'google',
        thirdPartyUserId: 'g-1',
      },
      login('second@example.com', { passwordHash: ARGON2, hashingAlgorithm: 'argon2' }),
    ],
  },
  {
    disabled: true,
    loginMethods: [login('off@example.com', { passwordHash: ARGON2, hashingAlgorithm: 'argon2' })],
  },
  { loginMethods: [login('php@example.com', { passwordHash: PHPASS, hashingAlgorithm: 'phpass' })] },
  { loginMethods: [login('unset@example.com', { password: 'unset' })] },
  { email: 'flat@example.com', passwordHash: BCRYPT },
];
const linesOf = (users: readonly object[]) => users.map((user) => `${JSON.stringify(user)}\n`).join('');

/** Adds the last line of an export, which states the users before it. */
const ended = (lines: string) =>
  `${lines}${JSON.stringify({
    export: {
      users: lines.split('\n').length - 1,
      sha256: createHash('sha256').update(lines).digest('hex'),
    },
  })}\n`;

const TEXT = ended(linesOf(USERS));

function setup(text: string | Buffer = TEXT) {
  const directory = scratch();
  const file = join(directory, 'users.ndjson');
  writeFileSync(file, text);
  const out = join(directory, 'out');
  return {
    directory,
    file,
    out,
    to: (target: string, ...more: string[]) =>
      runCli(['convert', '--to', target, '--out', out, file, ...more]),
    read: (name: string) => JSON.parse(readFileSync(join(out, name), 'utf8')),
  };
}

it('kratos gets identities with credentials, addresses, state and metadata', async () => {
  const { to, out, read, directory } = setup();
  const report = join(directory, 'report.ndjson');
  const { code, stdout, stderr } = await to('kratos', '--report', report, '--json');
  expect([code, stderr]).toEqual([2, '']);
  expect(JSON.parse(stdout)).toEqual({
    ...{ target: 'kratos', directory: out, files: 1, users: 5, written: 5, withPassword: 3, mustReset: 2 },
    ...{ skipped: 0, conflicts: 0, errors: 0, reasons: {}, withoutHash: 1, unverifiable: { phpass: 1 } },
    leftOut: {
      'TOTP devices': 1,
      roles: 1,
      'phone numbers': 1,
      'times of joining': 1,
      'further password logins': 1,
    },
  });
  expect(statSync(join(out, 'identities-00001.json')).mode & 0o777).toBe(0o600);
  const { identities } = read('identities-00001.json');
  expect(identities.map(({ create }: { create: { traits: object } }) => create.traits)).toEqual(
    ['ada', 'off', 'php', 'unset', 'flat'].map((name) => ({ email: `${name}@example.com` })),
  );
  expect(identities[0].create).toEqual({
    ...{ schema_id: 'default', state: 'active', traits: { email: 'ada@example.com' } },
    credentials: {
      password: { config: { hashed_password: BCRYPT } },
      oidc: { config: { providers: [{ provider: 'google', subject: 'g-1' }] } },
    },
    verifiable_addresses: [{ value: 'ada@example.com', via: 'email', verified: true, status: 'completed' }],
    metadata_admin: { externalUserId: ID, userMetadata: { name: 'Ada', big: 1 } },
  });
  expect([identities[1].create.state, identities[2].create.credentials]).toEqual(['inactive', undefined]);
  expect(readNdjson(readFileSync(report, 'utf8'))).toEqual([
    {
      ...{ file: expect.any(String), row: 3, result: 'import', reason: 'HASH_UNVERIFIABLE' },
      ...{ email: 'php@example.com', message: 'Ory Kratos cannot verify phpass' },
    },
    {
      ...{ file: expect.any(String), row: 4, result: 'import', reason: 'NO_LOGIN_METHOD' },
      email: 'unset@example.com',
    },
  ]);
});

it('keycloak gets users with credentials, TOTP devices, identities and attributes', async () => {
  const { to, read } = setup();
  const { code, stderr } = await to('keycloak', '--without-password', 'skip');
  expect([code, stderr]).toEqual([
    2,
    expect.stringContaining('5 users = 2 written + 3 skipped + 0 conflicts + 0 errors'),
  ]);
  expect(stderr.startsWith('1 user keeps their password, 1 must reset it.\n')).toBe(true);
  const { users, ifResourceExists } = read('users-00001.json');
  expect(ifResourceExists).toBe('SKIP');
  expect(users.map(({ email, enabled }: Record<string, unknown>) => [email, enabled])).toEqual([
    ['ada@example.com', true],
    ['off@example.com', false],
  ]);
  expect(users[0]).toMatchObject({
    ...{ id: ID, username: 'ada@example.com', emailVerified: true, createdTimestamp: 1_600_000_000_000 },
    attributes: {
      externalUserId: [ID],
      userMetadata: ['{"name":"Ada","big":1}'],
      userRoles: ['admin'],
      phoneNumber: ['+491'],
    },
    federatedIdentities: [{ identityProvider: 'google', userId: 'g-1', userName: 'ada@gmail.com' }],
    credentials: [{ type: 'otp', secretData: '{"value":"JBSWY3DPEHPK3PXP"}' }],
  });
  expect(JSON.parse(users[1].credentials[0].credentialData)).toMatchObject({ algorithm: 'argon2' });
});

it('auth0 gets files of at most 500 KB', async () => {
  const many = Array.from({ length: 3000 }, (_, nr) =>
    JSON.stringify({
      externalUserId: `auth0|${nr}`,
      userMetadata: { text: 'ü'.repeat(50) },
      loginMethods: [login(`u${nr}@example.com`, { passwordHash: BCRYPT })],
    }),
  );
  const { to, out, read } = setup(ended(`${many.join('\n')}\n`));
  expect((await to('auth0')).code).toBe(0);
  const files = readdirSync(out).sort();
  expect(files.length).toBeGreaterThan(1);
  for (const name of files) expect(statSync(join(out, name)).size).toBeLessThanOrEqual(500_000);
  const users = files.flatMap((name) => read(name));
  expect(users.length).toBe(3000);
  expect(users[7]).toEqual({
    ...{ user_id: '7', email: 'u7@example.com', email_verified: false },
    custom_password_hash: {
      algorithm: 'bcrypt',
      hash: { value: BCRYPT.replace('$2y$', '$2b$'), encoding: 'utf8' },
    },
    app_metadata: { externalUserId: 'auth0|7', userMetadata: { text: 'ü'.repeat(50) } },
  });
});

it('firebase gets a file and a command for each algorithm', async () => {
  const { to, out, read } = setup();
  const { stderr } = await to('firebase');
  expect(readdirSync(out).sort()).toEqual(['bcrypt.json', 'without-password.json']);
  expect(stderr).toContain(`firebase auth:import ${join(out, 'bcrypt.json')} --hash-algo=BCRYPT\n`);
  expect(read('bcrypt.json').users[0]).toEqual({
    ...{ localId: ID, email: 'ada@example.com', emailVerified: true, createdAt: '1600000000000' },
    displayName: 'Ada',
    passwordHash: Buffer.from(BCRYPT).toString('base64'),
    providerUserInfo: [{ providerId: 'google.com', rawId: 'g-1', email: 'ada@gmail.com' }],
  });
});

it('lines that cannot be read are counted, listed and fail the command', async () => {
  const { to, directory } = setup(
    `{"email":"a@b.c","passwordHash":"secret-hash"}\nnonsense\n${TEXT.split('\n')[0]}\n`,
  );
  const report = join(directory, 'report.ndjson');
  const { code, stderr } = await to('kratos', '--report', report, '--without-end');
  expect([code, stderr]).toEqual([
    2,
    expect.stringContaining('3 users = 1 written + 0 skipped + 0 conflicts + 2 errors'),
  ]);
  const text = readFileSync(report, 'utf8');
  expect(readNdjson(text).map(({ row, result }) => [row, result])).toEqual([
    [1, 'error'],
    [2, 'error'],
  ]);
  expect(text + stderr).not.toContain('secret-hash');
});

it('an export with fewer users than it states is refused, and nothing is left', async () => {
  const { to, directory } = setup(TEXT.slice(TEXT.indexOf('\n') + 1));
  const { code, stderr } = await to('kratos', '--report', join(directory, 'report.ndjson'));
  expect([code, readdirSync(directory)]).toEqual([1, ['users.ndjson']]);
  expect(stderr).toContain('is not complete: it has 4 users, and its last line states 5. Export again.');
});

/** Inputs that are not whole, and what is said about each. */
const IS_CUT = 'is cut short, or was not made by export or convert';
const CUT: [what: string, text: () => string | Buffer, message: string][] = [
  ['cut before the last line', () => linesOf(USERS), IS_CUT],
  ['cut within the last line', () => TEXT.slice(0, -20), IS_CUT],
  ['empty', () => '', IS_CUT],
  ['with a changed user', () => TEXT.replace('"name":"Ada"', '"name":"Eve"'), 'was changed after'],
  ['followed by another user', () => TEXT + linesOf(USERS.slice(0, 1)), 'is cut short'],
  ['gzip cut short', () => gzipSync(TEXT).subarray(0, 300), 'The gzip file ends too early'],
];

it.each(CUT)('an export that is %s is refused, and nothing is left', async (_, text, message) => {
  const { to, directory } = setup(text());
  const { code, stderr } = await to('kratos');
  expect([code, readdirSync(directory), stderr]).toEqual([
    1,
    ['users.ndjson'],
    expect.stringContaining(message),
  ]);
});

it.each([
  ['compressed', () => gzipSync(TEXT), []],
  ['with a byte order mark', () => `\uFEFF${TEXT}`, []],
  ['of other software, which states no users', () => linesOf(USERS), ['--without-end']],
  ['of two exports in one file', () => TEXT + ended(linesOf([{ email: 'z@z.org', password: 'unset' }])), []],
])('an export that is %s is read', async (_, text, flags) => {
  const { to, read } = setup(text());
  const { code, stderr } = await to('keycloak', ...flags);
  expect([code, stderr]).toEqual([2, expect.stringContaining('1 user keeps their password')]);
  expect(read('users-00001.json').users.length).toBeGreaterThanOrEqual(5);
});

it('what convert writes ends with the number of users, and is read through a pipe', async () => {
  const { out } = setup();
  const csv = join(scratch(), 'people.csv');
  writeFileSync(csv, `email,hash\na@example.com,${BCRYPT}\nb@example.com,${BCRYPT}\n`);
  const converted = await runCli(['convert', csv, '--map', 'email=email,hash=hash', '--active', 'everybody']);
  expect([converted.code, JSON.parse(converted.stdout.split('\n').at(-2) ?? '')]).toEqual([
    0,
    { export: { users: 2, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) } },
  ]);
  const { code } = await runCli(['convert', '--to', 'kratos', '--out', out, '-'], {
    input: converted.stdout,
  });
  expect(code).toBe(0);
});

const person = (email: string, more: object = {}, ...others: object[]) => ({
  loginMethods: [login(email, { passwordHash: BCRYPT, ...more }), ...others],
});
const google = (thirdPartyUserId: string, email: string) => ({
  ...{ recipeId: 'thirdparty', thirdPartyId: 'google', thirdPartyUserId, email },
});
const joined = (timeJoinedInMSSinceEpoch: number) => ({ timeJoinedInMSSinceEpoch });

/** Users of whom two are one address, id or login, and the addresses that are written. */
const SHARED: [what: string, users: object[], flags: string[], written: string[], reasons: object][] = [
  [
    'nobody gets an address of two',
    [person('a@x.org'), person('A@x.org '), person('b@x.org')],
    [],
    ['b@x.org'],
    { ADDRESS_SHARED: 2 },
  ],
  [
    'the verified one of two gets the address, in any order',
    [person('a@x.org'), person('a@x.org', { isVerified: true })],
    [],
    ['a@x.org'],
    { DUPLICATE_EMAIL: 1 },
  ],
  [
    'the newest gets it',
    [person('a@x.org', joined(2)), person('a@x.org', joined(1))],
    ['--shared-address', 'newest'],
    ['a@x.org'],
    { DUPLICATE_EMAIL: 1 },
  ],
  [
    'a login at a provider takes no address of a verified user',
    [{ loginMethods: [google('g-1', 'a@x.org')] }, person('a@x.org', { isVerified: true })],
    [],
    ['a@x.org'],
    { DUPLICATE_EMAIL: 1 },
  ],
  [
    'every password login of a user is a claim',
    [
      person('a@x.org', {}, login('b@x.org', { passwordHash: BCRYPT })),
      person('b@x.org'),
      person('c@x.org', {}, google('g-1', 'd@x.org')),
      person('d@x.org'),
    ],
    [],
    ['c@x.org', 'd@x.org'],
    { ADDRESS_SHARED: 2 },
  ],
  [
    'a line that cannot be imported has a claim as well',
    [person('a@x.org'), person('a@x.org', { passwordHash: 'nonsense', isVerified: true })],
    [],
    [],
    { DUPLICATE_EMAIL: 1, PASSWORD_HASH_INVALID: 1 },
  ],
  [
    'nobody gets an id of two',
    [
      { externalUserId: '1', ...person('a@x.org') },
      { externalUserId: '1', ...person('b@x.org') },
    ],
    [],
    [],
    { EXTERNAL_ID_REPEATED: 2 },
  ],
  [
    'nobody gets a login of two',
    [person('a@x.org', {}, google('g-1', 'a@x.org')), person('b@x.org', {}, google('g-1', 'b@x.org'))],
    [],
    [],
    { LOGIN_SHARED: 2 },
  ],
];

it.each(SHARED)('%s', async (_, users, flags, written, reasons) => {
  const { to, out, directory } = setup(ended(linesOf(users)));
  const report = join(directory, 'report.ndjson');
  const { code, stdout } = await to('clerk', '--json', '--report', report, ...flags);
  const result = JSON.parse(stdout);
  expect([code, result.reasons]).toEqual([2, reasons]);
  const lines = written.length === 0 ? '' : readFileSync(join(out, 'users.ndjson'), 'utf8');
  expect(readNdjson(lines).map(({ email_address }) => email_address)).toEqual(written.map((one) => [one]));
  const failed = readNdjson(readFileSync(report, 'utf8')).filter(({ result: word }) => word !== 'import');
  expect(failed.length).toBe(users.length - written.length);
});

it('never writes to a directory, a file or a link that exists', async () => {
  const { to, out, directory } = setup();
  for (const make of [
    () => mkdirSync(out),
    () => writeFileSync(out, 'mine'),
    () => symlinkSync('/nowhere', out),
  ]) {
    make();
    const { code, stderr } = await to('kratos');
    expect([code, stderr]).toEqual([1, `--out ${out} exists. Name a new directory.\n`]);
    expect(readdirSync(directory).sort()).toEqual(['out', 'users.ndjson']);
    const { rmSync } = await import('node:fs');
    rmSync(out, { recursive: true });
  }
});

it.each([
  [
    ['--to', 'cognito', '--out', 'x', 'y'],
    '--to: there is no cognito. Expected kratos, keycloak, keycloak-hash, auth0, better-auth, firebase, clerk, okta.',
  ],
  [['--to', 'kratos', 'y'], 'Name a new directory for the files: --out DIRECTORY'],
  [['--to', 'kratos', '--out', 'x'], 'Usage: user-import convert FILE…'],
  [['--to', 'kratos', '--out', 'x', 'y', '--from', 'auth0'], 'has no --from'],
  [['--to', 'kratos', '--out', 'x', 'y', '--without-password', 'legacy'], 'expected keep or skip with --to'],
  [['--to', 'kratos', '--out', 'x', 'y', '--shared-address', 'me'], '--shared-address'],
  [['--out', 'x', 'y'], '--out needs --to.'],
  [['--without-end', 'y'], '--without-end needs --to.'],
  [['--to', 'kratos', '--out', '/nowhere/x', 'y'], '/nowhere/x cannot be written: ENOENT.'],
])('%j is refused', async (args, message) => {
  const { code, stderr } = await runCli(['convert', ...args]);
  expect([code, stderr]).toEqual([1, expect.stringContaining(message)]);
});

it('reads standard input, and says which file is missing', async () => {
  const out = join(scratch(), 'out');
  const args = ['convert', '--to', 'kratos', '--out', out];
  expect((await runCli([...args, '-'], { input: TEXT })).code).toBe(2);
  const other = `${out}-2`;
  const { code, stderr } = await runCli(['convert', '--to', 'kratos', '--out', other, '/nowhere/users']);
  expect([code, existsSync(other), stderr]).toEqual([1, false, '/nowhere/users: there is no such file.\n']);
});

/** Converts, and returns the lines of users who wait. */
async function waitingOf(target: string, mode: string, ...more: string[]) {
  const { to, read, directory } = setup();
  const file = join(directory, 'waiting.ndjson');
  const result = await to(target, '--first-sign-in', mode, '--waiting', file, '--json', ...more);
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  return { ...result, read, text, users: JSON.parse(result.stdout || '{}') };
}
const linesAt = (...indexes: number[]) => ended(linesOf(indexes.map((index) => USERS[index] ?? {})));

it('kratos asks this service only about passwords that it cannot verify, or about all', async () => {
  const some = await waitingOf('kratos', 'unverifiable');
  expect(some.users).toMatchObject({
    written: 5,
    withPassword: 3,
    waiting: 1,
    mustReset: 1,
    unverifiable: {},
  });
  expect(some.text).toBe(linesAt(2));
  const { identities } = some.read('identities-00001.json');
  const config = { hashed_password: '', use_password_migration_hook: true };
  expect(identities[2].create.credentials).toEqual({ password: { config } });
  expect(identities[0].create.credentials.password).toEqual({ config: { hashed_password: BCRYPT } });
  expect(identities[0].create).not.toHaveProperty('external_id');

  const all = await waitingOf('kratos', 'all');
  expect(all.users).toMatchObject({ withPassword: 0, waiting: 4, mustReset: 1 });
  expect(all.text).toBe(linesAt(0, 1, 2, 4));
  const { create } = all.read('identities-00001.json').identities[0];
  expect(create).toMatchObject({ external_id: ID, credentials: { password: { config } } });
  expect(JSON.stringify(create)).not.toContain('$2');
});

it('keycloak links users who wait to the provider that asks', async () => {
  const { users, text, read } = await waitingOf(
    'keycloak',
    'unverifiable',
    '--federation-link',
    'provider-1',
  );
  expect(users).toMatchObject({ written: 5, waiting: 3 });
  expect(text).toBe(linesAt(0, 2, 4));
  const [ada, off] = read('users-00001.json').users;
  expect(ada).toMatchObject({ id: ID, federationLink: 'provider-1' });
  expect(ada.credentials.map(({ type }: { type: string }) => type)).toEqual(['otp']);
  expect([off.federationLink, off.credentials.length]).toEqual([undefined, 1]);
});

it('okta gets a disabled user apart', async () => {
  const okta = await waitingOf('okta', 'unverifiable');
  expect(okta.users).toMatchObject({ files: 2, withPassword: 2, waiting: 2, mustReset: 1 });
});

it.each([
  [
    'auth0',
    ['--first-sign-in', 'all', '--waiting', 'w'],
    /^--to auth0 has no --first-sign-in: Auth0 does not ask/,
  ],
  ['kratos', ['--first-sign-in', 'all'], /^Name a file for the users who wait: --waiting FILE/],
  ['kratos', ['--waiting', 'w'], /^--waiting needs --first-sign-in/],
  ['kratos', ['--first-sign-in', 'some', '--waiting', 'w'], /--first-sign-in/],
  ['keycloak', ['--first-sign-in', 'all', '--waiting', 'w'], /needs --federation-link ID/],
  [
    'kratos',
    ['--first-sign-in', 'all', '--waiting', 'w', '--federation-link', 'x'],
    /has no --federation-link/,
  ],
  ['kratos', ['--first-sign-in', 'all', '--waiting', 'w', '--report', 'w'], /name the same file/],
])('%s refuses %j', async (target, flags, message) => {
  const { to, out } = setup();
  const { code, stderr } = await to(target, ...flags);
  expect([code, existsSync(out)]).toEqual([1, false]);
  expect(readdirSync('.').filter((name) => name.endsWith('.part'))).toEqual([]);
  expect(stderr).toMatch(new RegExp(message.source.replace('^', ''), 'm'));
});
