import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, inject, it, onTestFinished, type TestContext } from 'vitest';
import { API_KEY, createTestApp } from './support/app.ts';

const run = promisify(execFile);

const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');
const blocksOf = (text: string) => [...text.matchAll(/```sh\n(.*?)```/gs)].map(([, block = '']) => block);

const readme = read('README.md');
const [demo = '', start, test, curl = '', pocketbase = '', userImport = ''] = blocksOf(readme);
const manifest = JSON.parse(read('package.json'));

/** Skips the test if there is no curl; CI has it. */
async function needCurl(context: TestContext): Promise<void> {
  const hasCurl = await run('curl', ['--version']).then(
    () => true,
    () => false,
  );
  if (!hasCurl && process.env.CI === undefined) context.skip('curl is not installed');
}

/** Runs a command of the README, without installing packages. */
async function runDemo(command: string): Promise<{ code: number; stdout: string; stderr: string }> {
  // The test runner has a BASE_URL of its own.
  const { BASE_URL: _, ...env } = process.env;
  return run('bash', ['-c', command.replace('npm ci && npm run', 'npm run -s')], { env }).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }) => ({ code, stdout, stderr }),
  );
}

describe('the README', () => {
  it('has at most 110 lines', () => {
    expect(readme.trimEnd().split('\n').length).toBeLessThanOrEqual(110);
  });

  it('proves, starts and tests with one command each, and names only npm scripts that exist', () => {
    expect([demo, start, test]).toEqual([
      'npm ci && npm run demo\n',
      'npm ci && npm start\n',
      'npm ci && npm test\n',
    ]);
    const named = [...readme.matchAll(/npm (?:run )?(start|test|[a-z]+)(?=[`\s])/g)].map(([, name]) => name);
    for (const name of named.filter((one) => one !== 'ci' && one !== 'install'))
      expect(manifest.scripts).toHaveProperty(name ?? '');
  });

  it('proves all four kinds of user in the first command', { timeout: 120_000 }, async () => {
    const { code, stdout, stderr } = await runDemo(demo);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout.match(/^ {2}old password: OK, another: WRONG_CREDENTIALS_ERROR$/gm)).toHaveLength(3);
    expect(stdout.match(/^ {2}again: OK, the same user$/gm)).toHaveLength(1);
    expect(stdout).toMatch(/^starting a service .*…\n/);
    expect(stdout).toMatch(/\nNext: npm start, .* npx user-import inspect FILE\n$/);
    const [, data = ''] = /thrown away afterwards \((.+)\)$/m.exec(stdout) ?? [];
    expect([data, existsSync(data)]).toEqual([expect.stringContaining('/user-import-'), false]);
  });

  it('has curl lines that import a user and sign the user in', async (context) => {
    await needCurl(context);
    const service = await createTestApp();
    onTestFinished(() => service.close());
    const url = await service.app.listen({ port: 0, host: '127.0.0.1' });
    const script = curl
      .replace('$(cat .data/postgres.api-key)', API_KEY)
      .replace('http://localhost:3567', url);
    const { stdout } = await run('bash', ['-c', script]);
    const answers = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(answers.map((answer) => [answer.status, answer.user.emails])).toEqual([
      ['OK', ['ada@example.org']],
      ['OK', ['ada@example.org']],
    ]);
  });

  it('imports an export of another system in one command', { timeout: 120_000 }, async () => {
    const { code, stderr } = await runDemo(pocketbase);
    expect([code, /\d+ rows = .*? errors/.exec(stderr)?.[0]]).toEqual([
      0,
      '5 rows = 4 imported + 1 skipped + 0 conflicts + 0 errors',
    ]);
  });

  it('has commands of user-import that import the export', { timeout: 120_000 }, async () => {
    const service = await createTestApp();
    onTestFinished(() => service.close());
    const url = await service.app.listen({ port: 0, host: '127.0.0.1' });
    const script = userImport
      .replace('$(cat .data/postgres.api-key)', API_KEY)
      .replaceAll('npx user-import', `node ${inject('compiled').directory}/dist/cli.js`)
      .replace(/(import test\S+)/, `$1 --url ${url} --yes`);
    const { code = 0, stdout, stderr } = await run('bash', ['-c', script]).catch((failed) => failed);
    expect([code, stdout.includes('\n5 rows\n')]).toEqual([0, true]);
    expect(stderr).toContain('5 rows = 4 imported + 1 skipped + 0 conflicts + 0 errors');
  });
});

it('docs/bulk-import.md imports a sample', { timeout: 60_000 }, async (context) => {
  await needCurl(context);
  const service = await createTestApp();
  onTestFinished(() => service.close());
  const url = await service.app.listen({ port: 0, host: '127.0.0.1' });
  const file = join(tmpdir(), `uic-sample-${process.pid}.ndjson`);
  onTestFinished(() => rm(file, { force: true }));
  const block = blocksOf(read('docs/bulk-import.md')).find((one) => one.includes('npm run sample')) ?? '';
  const script = block
    .replace('--users 1000000', `--users 2000 --out ${file}`)
    .replace('-T sample.ndjson', `-T ${file}`)
    .replace('http://localhost:3567', url);
  const { stdout } = await run('bash', ['-c', script], { env: { ...process.env, KEY: API_KEY } });
  const { summary, importId } = JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
  expect({ ...summary, ms: 0, importId }).toMatchObject({
    ...{ lines: 2000, created: 2000, updated: 0, skipped: 0, failed: 0, ms: 0 },
    importId: 'sample',
  });
  const [user, social] = [0, 16].map((line) =>
    JSON.parse(readFileSync(file, 'utf8').split('\n')[line] ?? ''),
  );
  const signedIn = await service.send('POST', '/recipe/signin', {
    email: user.email,
    password: 'password',
  });
  expect(signedIn.body.status).toBe('OK');
  const again = await service.send('POST', '/recipe/signinup', social);
  expect([again.body.status, again.body.createdNewUser]).toEqual(['OK', false]);
});
