import { readdirSync, readFileSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Advice } from '../../src/sources/source.ts';
import { BCRYPT, CliRun, readNdjson, runCli, scratch, toyFile, toyUsers, words } from './command-line.ts';

const RECORDS = [
  { id: 'customer-1', email: 'ada.lovelace@example.com', hash: BCRYPT, roles: true },
  { id: 'customer-2', email: 'grace@navy.example', google: '1234567890' },
  { id: 'customer-3', email: 'ada.lovelace@example.com', plain: 'Secret-Words' },
  { id: 'customer-4', email: 'x@example.com', hash: 'not-a-hash-at-all', algorithm: 'bcrypt' },
  { id: 'customer-5', email: 'y@example.com', state: 'DELETED' as const },
  {
    id: 'customer-6',
    email: 'z@example.com',
    hash: '$argon2id$v=19$m=4096,t=3,p=1$cmFuZG9tc2FsdGlzaGFyZA$DYojYpnUWSMmTtrkVXyaNWVGxLmGe1n8VJBPDdFkbjU',
  },
  { id: 'customer-7', email: 'w@example.com', saml: 's' },
];

const advised = (advice: readonly Advice[]) => [{ ...RECORDS[0], advice }, ...RECORDS.slice(1)];

it('convert says what the files lack, as inspect does', async () => {
  const advice = [
    { level: 'warn' as const, text: 'The table of bans is missing.' },
    { level: 'note' as const, text: 'Times have no zone.' },
  ];
  const { stderr } = await runCli(['convert', toyFile(scratch(), advised(advice))]);
  expect(stderr.split('\n')[0]).toBe('Warning: The table of bans is missing.');
  expect(stderr).not.toContain('Times have no zone');
});

describe('inspect', () => {
  it('names the system and the outcome of an import, and shows no user', async () => {
    const advice = [{ level: 'warn' as const, text: 'The signer key is missing.\nFind it in the console.' }];
    const file = toyFile(scratch(), advised(advice));
    const { code, stdout, stderr } = await runCli(['inspect', file, '--shared-address', 'oldest']);
    expect([code, stderr]).toEqual([2, `Next: user-import import ${file} --shared-address oldest\n`]);
    expect(stdout.replaceAll(file, 'FILE').replace(/[\d.]+ (?:kB|bytes)/, 'SIZE')).toBe(
      [
        '3 of 7 users would be imported.',
        'Toy exports (--from toy), as toy-ndjson',
        '  FILE  SIZE  json  users: has toy, id, email, hash, roles, advice, google, plain, …',
        '',
        '7 rows',
        '  3  import',
        '  2  skip      DELETED 1, SSO_USER 1',
        '  1  conflict  DUPLICATE_EMAIL 1',
        '  1  error     PASSWORD_HASH_INVALID 1',
        '',
        'Password hashes to import',
        '  1  bcrypt  strong',
        '  1  argon2  strong',
        '  1  without a hash: third-party logins, plain passwords, users without a password',
        '',
        'Failures, with an example of each',
        '  1  DUPLICATE_EMAIL        row 3 of FILE: the same e-mail address as row 1 of FILE, the oldest of these users',
        '  1  PASSWORD_HASH_INVALID  row 4 of FILE: Password hash is in invalid BCrypt format: expected $2<a|b|x|y>$<cost>$<salt><digest>, 60 characters, cost of two digits from 04',
        '',
        'Advice',
        '  warn  The signer key is missing.',
        '        Find it in the console.',
        '  Has no place here: roles 1.',
        '  Logins left out, because their provider has no id here (--set provider.NAME=ID): corp 1.',
        '',
        'First import lines, masked (unmasked with --show)',
        '  { "externalUserId": "cust••", "loginMethods": [ { "recipeId": "emailpassword", "email": "a••@e••.com", "isVerified": false, "passwordHash": "$2y$10$••", "timeJoinedInMSSinceEpoch": 1600000000000 } ] }',
        '  { "externalUserId": "cust••", "loginMethods": [ { "recipeId": "thirdparty", "thirdPartyId": "google", "thirdPartyUserId": "••", "email": "g••@n••.example", "isVerified": false, "timeJoinedInMSSinceEpoch": 1600000000000 } ] }',
        '  { "externalUserId": "cust••", "loginMethods": [ { "recipeId": "emailpassword", "email": "z••@e••.com", "isVerified": false, "passwordHash": "$argon2id$v=19$••", "timeJoinedInMSSinceEpoch": 1600000000000 } ] }',
        '',
      ].join('\n'),
    );
  });

  it('shows lines with --show only', async () => {
    const file = toyFile(scratch(), RECORDS);
    const { stdout } = await runCli(['inspect', file, '--show', '--shared-address', 'oldest']);
    expect(stdout).toContain(`"email":"ada.lovelace@example.com"`);
    expect(stdout).toContain(BCRYPT);
    expect(stdout).toContain('\nFirst import lines\n');
  });

  it('prints the same in JSON', async () => {
    const file = toyFile(scratch(), RECORDS);
    const { code, stdout } = await runCli(['inspect', file, '--json', '--shared-address', 'oldest']);
    expect(code).toBe(2);
    expect(JSON.parse(stdout)).toMatchObject({
      system: 'toy',
      forms: ['toy-ndjson'],
      files: [
        {
          ...{ name: file, container: 'json' },
          tables: [{ columns: expect.arrayContaining(['id', 'email', 'hash']), use: 'users' }],
        },
      ],
      ...{ rows: 7, imported: 3, skipped: 2, conflicts: 1, errors: 1 },
      hashes: [
        { algorithm: 'bcrypt', class: 'strong', count: 1 },
        { algorithm: 'argon2', class: 'strong', count: 1 },
      ],
      dropped: { roles: 1 },
      failures: [{ row: 3 }, { row: 4 }],
    });
    expect(stdout).not.toMatch(/lovelace|EkVBmTI0|Secret/);
  });

  it('makes no request, and needs no key', async () => {
    const file = toyFile(scratch(), toyUsers(3));
    const { code } = await runCli(['inspect', file], {
      env: { USER_IMPORT_API_KEY: '', USER_IMPORT_URL: 'http://127.0.0.1:9' },
    });
    expect(code).toBe(0);
  });

  it('prints colours on a terminal only', async () => {
    const file = toyFile(scratch(), toyUsers(1));
    const coloured = async (env: NodeJS.ProcessEnv) =>
      (await runCli(['inspect', file], { env })).stdout.includes('\x1b[');
    expect(await coloured({})).toBe(false);
    expect(await coloured({ FORCE_COLOR: '1' })).toBe(true);
    expect(await coloured({ FORCE_COLOR: '1', NO_COLOR: '1' })).toBe(true);
    expect(await coloured({ FORCE_COLOR: '0' })).toBe(false);
    const failed = async (env: NodeJS.ProcessEnv) =>
      (await runCli(['inspect', '/nowhere'], { env, isTerminal: true })).stderr.includes('\x1b[31m');
    expect([await failed({}), await failed({ NO_COLOR: '1' }), await failed({ TERM: 'dumb' })]).toEqual([
      true,
      false,
      false,
    ]);
  });

  it('prints no control characters of a file', async () => {
    const file = toyFile(scratch(), [
      { id: '\u001b]0;owned\u0007', email: 'a@example.com', hash: BCRYPT, saml: undefined },
      { email: 'b@example.com', saml: 'x' },
    ]);
    const { stdout } = await runCli(['inspect', file, '--show']);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it is about
    expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
  });
});

describe('convert', () => {
  it('writes the lines to standard output, and the reasons for skipped rows to the report', async () => {
    const directory = scratch();
    const file = toyFile(directory, RECORDS);
    const report = join(directory, 'report.ndjson');
    const rejects = join(directory, 'rejects.ndjson');
    const { code, stdout, stderr } = await runCli(
      words`convert ${file} --report ${report} --rejects ${rejects} --shared-address oldest`,
    );
    expect(code).toBe(2);
    expect(readNdjson(stdout).map(({ externalUserId }) => externalUserId)).toEqual([
      'customer-1',
      'customer-2',
      'customer-6',
    ]);
    expect(readNdjson(readFileSync(report, 'utf8')).map(({ result }) => result)).toEqual([
      ...['import', 'import', 'conflict', 'error', 'skip', 'import', 'skip'],
    ]);
    expect(readNdjson(readFileSync(rejects, 'utf8'))).toHaveLength(1);
    expect(stderr.split('\n')).toEqual([
      '7 rows = 3 imported + 2 skipped + 1 conflict + 1 error',
      '  skipped: DELETED 1, SSO_USER 1',
      '  conflicts: DUPLICATE_EMAIL 1',
      '  errors: PASSWORD_HASH_INVALID 1',
      'Next, with the file of these lines: user-import import FILE',
      '',
    ]);
    expect((await runCli(['convert', file, '--quiet'])).stderr).toBe('');
  });

  it('writes the same lines each time', async () => {
    const file = toyFile(scratch(), toyUsers(1000));
    const [a, b] = [await runCli(['convert', file]), await runCli(['convert', file])];
    expect(a.stdout).toBe(b.stdout);
    expect(readNdjson(a.stdout)).toHaveLength(1000);
  });

  it('converts nothing if the source stops it', async () => {
    const file = toyFile(scratch(), advised([{ level: 'stop', text: 'There are no hashes in it.' }]));
    expect(await runCli(['convert', file])).toEqual({
      code: 2,
      stdout: '',
      stderr: 'There are no hashes in it.\n',
    });
  });
});

describe('an unexpected error', () => {
  it('is reported without its message and without a stack', async () => {
    const file = toyFile(scratch(), [{ fault: 'ada@example.com is no hash' }]);
    const { code, stderr } = await runCli(['inspect', file]);
    expect(code).toBe(1);
    expect(stderr).toContain('Internal error (TypeError)');
    expect(stderr).not.toMatch(/ada|\.ts/);
  });
});

it('leaves no temporary directory', async () => {
  const directory = scratch();
  vi.stubEnv('TMPDIR', directory);
  onTestFinished(() => void vi.unstubAllEnvs());
  utimesSync(directory, 0, 0);
  await new CliRun(['inspect', '-'], {
    input: toyUsers(2)
      .map((one) => JSON.stringify(one))
      .join('\n'),
  }).finished;
  expect(readdirSync(directory)).toEqual([]);
  expect(statSync(directory).mtimeMs).toBeGreaterThan(0);
});

it('says what to do without a directory for temporary files, which commands without files do not need', async () => {
  const missing = join(scratch(), 'missing');
  const file = toyFile(scratch(), toyUsers(1));
  vi.stubEnv('TMPDIR', missing);
  onTestFinished(() => void vi.unstubAllEnvs());
  expect(await runCli(['inspect', file])).toMatchObject({
    code: 1,
    stderr: `${missing} cannot be written: ENOENT. Set TMPDIR to a directory for temporary files.\n`,
  });
  const { stderr } = await runCli(['status', '--url', 'http://127.0.0.1:1']);
  expect(stderr).toMatch(/^http:\/\/127\.0\.0\.1:1: /);
});
