import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestApp, type TestApp } from '../support/app.ts';
import { BCRYPT, CliRun, runCli, scratch, toyFile } from './command-line.ts';
import { answer, fakeService } from './fake-service.ts';

let service: TestApp;
let url: string;
beforeAll(async () => {
  service = await createTestApp();
  url = await service.app.listen({ port: 0, host: '127.0.0.1' });
});
afterAll(() => service.close());

const RECORDS = [
  { id: 'p1', email: 'other@example.com', hash: BCRYPT },
  { id: 'p2', email: 'Ada@Example.com', hash: BCRYPT, state: 'DISABLED' },
  { id: 'p3', email: 'plain@example.com', plain: 'in the clear' },
  { id: 'p4', email: 'social@example.com', google: 'g' },
  { id: 'p5', email: 'deleted@example.com', hash: BCRYPT, state: 'DELETED' },
  { id: 'p6', email: 'upper@example.com', hash: '5F4DCC3B5AA765D61D8327DEB882CF99', algorithm: 'hex-md5' },
];

const prove = (email: string, password: string, ...more: string[]) =>
  runCli(['prove', toyFile(scratch(), RECORDS), '--email', email, '--url', url, ...more], {
    input: `${password}\n`,
  });

it('says whether the password belongs to the hash, and nothing of either', async () => {
  const right = await prove(' ada@example.COM ', 'password');
  expect([right.code, right.stderr]).toEqual([0, '']);
  expect(right.stdout).toMatch(/^It matches\.\n {2}.*users\.ndjson row 2: bcrypt .*cost=10/);
  const wrong = await prove('ada@example.com', 'Password-wrong');
  expect(wrong.code).toBe(2);
  expect(wrong.stdout).toMatch(/^It does not match\.\n/);
  expect(wrong.stdout).toContain('No known mistake explains it: a wrong password, other parameters');
  for (const { stdout, stderr } of [right, wrong]) {
    expect(stdout + stderr).not.toMatch(/EkVBmTI0|Password-wrong|ada@/i);
  }
});

it('names the mistake', async () => {
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

it('compares what stands in the clear by itself', async () => {
  const elsewhere = [
    'prove',
    toyFile(scratch(), RECORDS),
    '--email',
    'plain@example.com',
    '--url',
    'http://127.0.0.1:9',
  ];
  const right = await runCli(elsewhere, { input: 'in the clear\n' });
  expect([right.code, right.stdout]).toEqual([0, expect.stringContaining('row 3: in the clear')]);
  expect((await runCli(elsewhere, { input: 'other\n' })).code).toBe(2);
});

it.each([
  ['nobody@example.com', 'x', 'No row has that address.'],
  ['social@example.com', 'x', 'That user has no password'],
  ['deleted@example.com', 'x', 'row 5 has that address, and is not imported (DELETED)'],
  ['ada@example.com', '', 'There is no password to try.'],
  ['no address', 'x', 'Say whose password you know'],
])('cannot be done: %s %j', async (email, password, message) => {
  const { code, stdout, stderr } = await prove(email, password);
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toContain(message);
});

it('needs an input that ends with a line, and a file that is not the same input', async () => {
  const file = toyFile(scratch(), RECORDS);
  const args = ['--email', 'ada@example.com', '--url', url];
  const empty = await new CliRun(['prove', file, ...args], { input: '' }).finished;
  expect(empty.stderr).toContain('The input ended before an answer came.');
  const both = await runCli(['prove', '-', ...args], { input: readFileSync(file, 'utf8') });
  expect(both.stderr).toContain('cannot both come from stdin');
});

it('sends the algorithm, and the secret where the hash is of a family that takes one', async () => {
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
