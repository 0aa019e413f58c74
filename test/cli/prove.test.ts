import { createHash, createHmac, pbkdf2Sync, scryptSync } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import bcrypt from 'bcrypt';
import { describe, expect, it } from 'vitest';
import { useTestApp } from '../support/app.ts';
import { BCRYPT, CliRun, runCli, scratch, toyFile, words } from './command-line.ts';
import { answer, fakeService } from './fake-service.ts';

const service = await useTestApp();
const url = await service.app.listen({ port: 0, host: '127.0.0.1' });

/** A cheap hash of `password`: each proof tries common mistakes as well. */
const HASH = bcrypt.hashSync('password', 4);
const RECORDS = [
  { id: 'p1', email: 'other@example.com', hash: HASH },
  { id: 'p2', email: 'Ada@Example.com', hash: HASH, state: 'DISABLED' },
  { id: 'p3', email: 'plain@example.com', plain: 'in the clear' },
  { id: 'p4', email: 'social@example.com', google: 'g' },
  { id: 'p5', email: 'deleted@example.com', hash: HASH, state: 'DELETED' },
  { id: 'p6', email: 'upper@example.com', hash: '5F4DCC3B5AA765D61D8327DEB882CF99', algorithm: 'hex-md5' },
];

const prove = (email: string, password: string, ...more: string[]) =>
  runCli(['prove', toyFile(scratch(), RECORDS), '--email', email, '--url', url, ...more], {
    input: `${password}\n`,
  });

it('says whether the password belongs to the hash, and shows neither', async () => {
  const right = await prove(' ada@example.COM ', 'password');
  expect([right.code, right.stderr]).toEqual([0, expect.stringMatching(/^Next: user-import import .*\n$/)]);
  expect(right.stdout).toMatch(/^It matches\.\n {2}row 2 of .*users\.ndjson: bcrypt .*cost=4/);
  const wrong = await prove('ada@example.com', 'Password-wrong');
  expect(wrong.code).toBe(2);
  expect(wrong.stdout).toMatch(/^It does not match\.\n/);
  expect(wrong.stdout).toContain(
    'No common mistake explains this. Possible causes: a wrong password, other parameters',
  );
  for (const { stdout, stderr } of [right, wrong]) {
    expect(stdout + stderr).not.toMatch(/Password-wrong|ada@/i);
    expect(stdout + stderr).not.toContain(HASH.slice(7, 20));
  }
});

it('says that an import skips a disabled user', async () => {
  const skipped = 'This user is disabled: import skips the row, unless you add --disabled include.';
  expect((await prove('ada@example.com', 'password')).stdout).toContain(skipped);
  const { stdout } = await prove('ada@example.com', 'password', '--json');
  expect(JSON.parse(stdout)).toMatchObject({ match: true, skipped: 'DISABLED' });
  expect((await prove('other@example.com', 'password')).stdout).not.toContain('skips');
});

it('names the mistake in a hash', async () => {
  const { code, stdout } = await prove('ada@example.com', 'Password', '--json');
  expect(code).toBe(2);
  expect(JSON.parse(stdout)).toMatchObject({
    row: 2,
    match: false,
    hashingAlgorithm: 'bcrypt',
    likelyMistakes: [{ code: 'PASSWORD_LOWER_CASED' }],
  });
  expect((await prove('ada@example.com', 'Password')).stdout).toContain('  PASSWORD_LOWER_CASED: ');
});

it('compares a plain password by itself', async () => {
  const file = toyFile(scratch(), RECORDS);
  const elsewhere = words`prove ${file} --email plain@example.com --url http://127.0.0.1:9`;
  const right = await runCli(elsewhere, { input: 'in the clear\n' });
  expect([right.code, right.stdout]).toEqual([0, expect.stringContaining('ndjson: in the clear')]);
  expect((await runCli(elsewhere, { input: 'other\n' })).code).toBe(2);
});

it.each([
  ['legacy', 'waits for a first sign-in'],
  ['keep', 'sets a password by a reset'],
])('has nothing to try if the export has no hash: --without-password %s', async (what, message) => {
  const file = toyFile(scratch(), [{ id: 'p7', email: 'none@example.com' }]);
  const args = ['prove', file, '--email', 'none@example.com', '--url', url, '--without-password', what];
  const { code, stdout, stderr } = await runCli(args, { input: 'password\n' });
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toContain(message);
});

it.each([
  ['nobody@example.com', 'x', 'No row has that address.'],
  ['social@example.com', 'x', 'users.ndjson has no password'],
  ['deleted@example.com', 'x', 'users.ndjson has that address, and is not imported (DELETED)'],
  ['ada@example.com', '', 'The password is empty.'],
  ['no address', 'x', 'Name the user whose password you know'],
])('fails with a message: %s %j', async (email, password, message) => {
  const { code, stdout, stderr } = await prove(email, password);
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toContain(message);
});

it('requires an input that ends with a line break, and a file that is not the same input', async () => {
  const file = toyFile(scratch(), RECORDS);
  const args = ['--email', 'ada@example.com', '--url', url];
  const empty = await new CliRun(['prove', file, ...args], { input: '' }).finished;
  expect(empty.stderr).toContain('The input ended before an answer was given.');
  const both = await runCli(['prove', '-', ...args], { input: readFileSync(file, 'utf8') });
  expect(both.stderr).toContain('cannot both come from stdin');
});

it('sends the algorithm, and the secret if the family of the hash takes one', async () => {
  const bodies: Record<string, unknown>[] = [];
  const fake = await fakeService(
    () => {},
    async (request, response) => {
      let text = '';
      for await (const piece of request) text += piece;
      bodies.push(JSON.parse(text));
      answer(response, 200, { status: 'OK', match: true, hashingAlgorithm: 'x', parameters: {} });
    },
  );
  const FIREBASE = `$f_scrypt$${Buffer.alloc(64, 1).toString('base64')}$6XjjwTA18mKqyw==$m=14$r=8$s=Bw==`;
  const file = toyFile(scratch(), [
    { email: 'a@example.com', hash: BCRYPT, algorithm: 'bcrypt' },
    { email: 'b@example.com', hash: FIREBASE },
  ]);
  for (const email of ['a@example.com', 'b@example.com']) {
    await runCli(['prove', file, '--email', email, '--url', fake.url, '--hashing-secret-id', 'project-2'], {
      input: 'secret\n',
    });
  }
  expect(bodies).toEqual([
    { passwordHash: BCRYPT, hashingAlgorithm: 'bcrypt', password: 'secret' },
    { passwordHash: FIREBASE, hashingSecretId: 'project-2', password: 'secret' },
  ]);
});

describe('a hash that the service tries with more families than an import does', () => {
  /** bcrypt over the hexadecimal MD5 of `password`. */
  const LAYERED = bcrypt.hashSync('5f4dcc3b5aa765d61d8327deb882cf99', 4);

  const csv = (hash: string) => {
    const file = join(scratch(), 'users.csv');
    writeFileSync(file, `id,email,hash\n1,ada@example.com,${hash}\n`);
    return file;
  };
  const proving = (file: string, ...flags: string[]) =>
    runCli(['prove', file, '--email', 'ada@example.com', '--url', url, ...flags], {
      input: 'password\n',
    });

  it('does not match without the flag that an import needs', async () => {
    const file = csv(LAYERED);
    const before = await proving(file);
    expect(before.code).toBe(2);
    expect(before.stdout).toMatch(/^It does not match\.\n {2}row 1 of .*: bcrypt-md5 /);
    expect(before.stdout).toContain('Add --algorithm bcrypt-md5.');
    const machine = await proving(file, '--json');
    expect([machine.code, JSON.parse(machine.stdout).match]).toEqual([2, false]);
    const after = await proving(file, '--algorithm', 'bcrypt-md5');
    expect([after.code, after.stdout]).toEqual([0, expect.stringMatching(/^It matches\./)]);
    const plain = await proving(csv(bcrypt.hashSync('password', 4)));
    expect([plain.code, plain.stdout]).toEqual([0, expect.stringMatching(/^It matches\.\n.* bcrypt /)]);
  });

  it('is tried although nothing shows its family, and the flag is named', async () => {
    const file = csv('5f4dcc3b5aa765d61d8327deb882cf99');
    const before = await proving(file);
    expect(before.code).toBe(2);
    const [, flag = ''] = /Add --algorithm ([\w-]+)\./.exec(before.stdout) ?? [];
    const after = await proving(file, '--algorithm', flag);
    expect([flag, after.code]).toEqual(['hex-md5', 0]);
    const none = await proving(csv('no-hash-of-anything'));
    expect([none.code, none.stderr]).toEqual([1, expect.stringContaining('none of the formats')]);
  });

  it.each<[string, string, (salt: string, password: string) => string | Buffer]>([
    ['sha256', '$', (salt, password) => salt + password],
    ['sha256', '$', (salt, password) => password + salt],
    ['SHA1', '$', (salt, password) => Buffer.concat([Buffer.from(salt, 'hex'), Buffer.from(password)])],
    ['md5', ':', (salt, password) => Buffer.concat([Buffer.from(password), Buffer.from(salt, 'base64')])],
  ])('may be %s of salt and password in pieces, and the template is printed', async (name, separator, of) => {
    const salt = '0d5345b30d92b88c';
    const digest = createHash(name.toLowerCase()).update(of(salt, 'password')).digest('hex');
    const hash = [name, salt, digest].join(separator);
    const flags = [[], ['--algorithm', 'werkzeug-legacy']];
    for (const more of separator === '$' && name === 'sha256' ? flags : [[]]) {
      const before = await proving(csv(hash), ...more);
      expect([before.code, before.stderr]).toEqual([2, expect.any(String)]);
      const [, template = ''] =
        /SALTED_DIGEST: .* It matches with --hash '([^']+)'/.exec(before.stdout) ?? [];
      expect(await proving(csv(hash), '--hash', template)).toMatchObject({ code: 0 });
    }
    const wrong = await proving(csv(hash.replace(salt, salt.replace('0', '1'))));
    expect(wrong.stdout).not.toContain('SALTED_DIGEST');
  });

  const SALT = '0d5345b30d92b88c';
  const hexOf = (digest: string, ...parts: (string | Buffer)[]) =>
    createHash(digest)
      .update(Buffer.concat(parts.map((part) => Buffer.from(part))))
      .digest('hex');

  it.each<[what: string, hash: string, mistake: string]>([
    ['sha1 of salt and password', `${SALT}:${hexOf('sha1', SALT, 'password')}`, 'SALTED_DIGEST'],
    ['an HMAC', `${SALT}:${createHmac('sha256', SALT).update('password').digest('hex')}`, 'HASH_IN_PIECES'],
    [
      'PBKDF2',
      `${SALT}:${pbkdf2Sync('password', SALT, 10_000, 64, 'sha512').toString('hex')}`,
      'HASH_IN_PIECES',
    ],
    ['scrypt', `${SALT}.${scryptSync('password', SALT, 64).toString('hex')}`, 'HASH_IN_PIECES'],
    ['vBulletin, salt first', `${SALT}:${hexOf('md5', hexOf('md5', 'password'), SALT)}`, 'HASH_IN_PIECES'],
  ])(
    'may be a salt and a hash in one column, and the flags are printed: %s',
    async (_what, hash, mistake) => {
      const before = await proving(csv(hash));
      const [, found, template = ''] =
        /^ {2}(\w+): .* It matches with --hash '([^']+)'\./m.exec(before.stdout) ?? [];
      expect([before.code, found]).toEqual([2, mistake]);
      expect(await proving(csv(hash), '--hash', template)).toMatchObject({ code: 0 });
      const wrong = ['prove', csv(hash), '--email', 'ada@example.com', '--url', url];
      expect((await runCli(wrong, { input: 'other\n' })).stdout).not.toContain('It matches');
    },
  );

  it('may be a salt and a hash in one column, and an inspection says how to find out', async () => {
    const file = csv(`${SALT}:${hexOf('sha1', SALT, 'password')}`);
    const { stdout } = await runCli(['inspect', file, '--active', 'everybody']);
    expect(stdout).toContain(
      'a salt and a hash in one column: try the password of one person with user-import prove',
    );
    const other = await runCli(['inspect', csv(`${SALT}:nothing`), '--active', 'everybody']);
    expect(other.stdout).not.toContain('in one column');
  });

  it('is reported alike if the algorithm was named wrongly', async () => {
    const { code, stdout } = await proving(csv(LAYERED), '--algorithm', 'bcrypt');
    expect([code, stdout]).toEqual([2, expect.stringContaining('Add --algorithm bcrypt-md5.')]);
  });

  it('is reported for a system without such a flag', async () => {
    const file = join(scratch(), 'users.csv');
    writeFileSync(file, `id,email,password,remember_token\n1,ada@example.com,${LAYERED},x\n`);
    const { code, stdout } = await proving(file);
    expect([code, stdout]).toEqual([2, expect.stringContaining(': --from generic --algorithm bcrypt-md5.')]);
  });
});
