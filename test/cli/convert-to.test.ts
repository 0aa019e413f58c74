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
const TEXT = [...USERS, { export: { users: USERS.length, sha256: 'x' } }]
  .map((line) => `${JSON.stringify(line)}\n`)
  .join('');

function setup(text = TEXT) {
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
  expect([code, stderr]).toEqual([0, '']);
  expect(JSON.parse(stdout)).toEqual({
    ...{ target: 'kratos', directory: out, files: 1, users: 5, written: 5, withPassword: 3 },
    ...{ skipped: 0, errors: 0, withoutHash: 1, unverifiable: { phpass: 1 } },
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
  ]);
});

it('keycloak gets users with credentials, TOTP devices, identities and attributes', async () => {
  const { to, read } = setup();
  const { code, stderr } = await to('keycloak', '--without-password', 'skip');
  expect([code, stderr]).toEqual([0, expect.stringContaining('5 users = 2 written + 3 skipped + 0 errors')]);
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
  const { to, out, read } = setup(`${many.join('\n')}\n`);
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
  expect(readdirSync(out).sort()).toEqual(['bcrypt-00001.json', 'without-password-00001.json']);
  expect(stderr).toContain('firebase auth:import bcrypt-00001.json --hash-algo=BCRYPT\n');
  expect(read('bcrypt-00001.json').users[0]).toEqual({
    ...{ localId: ID, email: 'ada@example.com', emailVerified: true, createdAt: '1600000000000' },
    passwordHash: Buffer.from(BCRYPT).toString('base64'),
    providerUserInfo: [{ providerId: 'google.com', rawId: 'g-1', email: 'ada@gmail.com' }],
  });
});

it('clerk gets one user a line, and no disabled ones', async () => {
  const { to, out } = setup();
  const { code, stderr } = await to('clerk');
  expect(code).toBe(0);
  const users = readNdjson(readFileSync(join(out, 'users.ndjson'), 'utf8'));
  expect(users.map(({ email_address: [email] = [] }: { email_address?: unknown[] }) => email)).toEqual(
    ['ada', 'php', 'unset', 'flat'].map((name) => `${name}@example.com`),
  );
  expect(users[0]).toMatchObject({
    ...{ external_id: ID, password_digest: BCRYPT, password_hasher: 'bcrypt' },
    ...{ totp_secret: 'JBSWY3DPEHPK3PXP', created_at: '2020-09-13T12:26:40.000Z' },
  });
  expect(users[1]).toMatchObject({ password_digest: PHPASS, password_hasher: 'phpass' });
  expect(stderr).toContain('Disabled users were skipped, because Clerk creates no users who are banned: 1');
  expect(stderr).toContain('unverified addresses');
});

it('lines that cannot be read are counted, listed and fail the command', async () => {
  const { to, directory } = setup(
    `{"email":"a@b.c","passwordHash":"secret-hash"}\nnonsense\n${TEXT.split('\n')[0]}\n`,
  );
  const report = join(directory, 'report.ndjson');
  const { code, stderr } = await to('kratos', '--report', report);
  expect([code, stderr]).toEqual([2, expect.stringContaining('3 users = 1 written + 0 skipped + 2 errors')]);
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
  [['--to', 'okta', '--out', 'x', 'y'], '--to: expected kratos, keycloak, auth0, firebase, clerk; got okta'],
  [['--to', 'kratos', 'y'], 'Name a new directory for the files: --out DIRECTORY'],
  [['--to', 'kratos', '--out', 'x'], 'Name the files, or - for standard input.'],
  [['--to', 'kratos', '--out', 'x', 'y', '--from', 'auth0'], 'has no --from'],
  [['--to', 'kratos', '--out', 'x', 'y', '--without-password', 'legacy'], 'expected keep or skip with --to'],
  [['--out', 'x', 'y'], '--out needs --to.'],
  [['--to', 'kratos', '--out', '/nowhere/x', 'y'], '/nowhere/x cannot be written: ENOENT.'],
])('%j is refused', async (args, message) => {
  const { code, stderr } = await runCli(['convert', ...args]);
  expect([code, stderr]).toEqual([1, expect.stringContaining(message)]);
});

it('reads standard input, and says which file is missing', async () => {
  const out = join(scratch(), 'out');
  const args = ['convert', '--to', 'kratos', '--out', out];
  expect((await runCli([...args, '-'], { input: TEXT })).code).toBe(0);
  const other = `${out}-2`;
  const { code, stderr } = await runCli(['convert', '--to', 'kratos', '--out', other, '/nowhere/users']);
  expect([code, existsSync(other), stderr]).toEqual([
    1,
    false,
    '/nowhere/users cannot be read: there is no such file.\n',
  ]);
});
