import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished, type TestContext } from 'vitest';
import { API_KEY, createTestApp, SIGNER_KEY } from './support/app.ts';
import { signInStatus } from './support/service-calls.ts';

const run = promisify(execFile);

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
const blocks = [...readme.matchAll(/```sh\n(.*?)```/gs)].map(([, block = '']) => block);
const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));

/** Skips the test if curl is not installed. CI installs it. */
async function needCurl(context: TestContext): Promise<void> {
  const hasCurl = await run('curl', ['--version']).then(
    () => true,
    () => false,
  );
  if (!hasCurl && process.env.CI === undefined) context.skip('curl is not installed');
}

describe('the README', () => {
  it('starts and tests with one command each, and names only npm scripts that exist', () => {
    expect(blocks[0]).toMatch(/^npm ci && \S+ npm start\n$/);
    expect(blocks[1]).toBe('npm ci && npm test\n');
    const named = [...readme.matchAll(/npm (?:run )?(start|test|[a-z]+)(?=[`\s])/g)].map(([, name]) => name);
    for (const name of named.filter((one) => one !== 'ci'))
      expect(manifest.scripts).toHaveProperty(name ?? '');
  });

  it('has a start command with the signer key of its scrypt hash', () => {
    expect(blocks[0]).toContain(`EXTERNAL_PASSWORD_HASHING_SIGNER_KEY=${SIGNER_KEY} `);
  });

  it('imports a sample', { timeout: 60_000 }, async (context) => {
    await needCurl(context);
    const service = await createTestApp();
    onTestFinished(() => service.close());
    const url = await service.app.listen({ port: 0, host: '127.0.0.1' });
    const file = join(tmpdir(), `uic-sample-${process.pid}.ndjson`);
    onTestFinished(() => rm(file, { force: true }));
    const block = blocks.find((one) => one.includes('npm run sample')) ?? '';
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
    expect(await signInStatus(service, user.email, 'password')).toBe('OK');
    const again = await service.send('POST', '/recipe/signinup', social);
    expect([again.body.status, again.body.createdNewUser]).toEqual(['OK', false]);
  });

  it('imports exports of other systems with one command each', { timeout: 120_000 }, async () => {
    const block = blocks.find((one) => one.includes('npm run demo --')) ?? '';
    const commands = block.trim().split('\n');
    expect(commands).toHaveLength(2);
    const said: string[] = [];
    // Vitest sets a BASE_URL.
    const { BASE_URL: _, ...env } = process.env;
    for (const command of commands) {
      // Some rows of the samples fail, so the exit code is not 0.
      const error = await run('bash', ['-c', command.replace('npm ci && npm run', 'npm run -s')], {
        env,
      }).then(
        () => undefined,
        (failed: { code: number; stderr: string }) => failed,
      );
      expect([error?.code, error?.code === 2 ? '' : error?.stderr]).toEqual([2, '']);
      said.push(/\d+ rows = .*? errors/.exec(error?.stderr ?? '')?.[0] ?? '');
    }
    expect(said).toEqual([
      '14 rows = 8 imported + 4 skipped + 1 conflicts + 1 errors',
      '12 rows = 9 imported + 2 skipped + 1 conflicts + 0 errors',
    ]);
  });

  it('has curl lines that import one user of each kind and sign them in', async (context) => {
    await needCurl(context);
    const service = await createTestApp();
    onTestFinished(() => service.close());
    const url = await service.app.listen({ port: 0, host: '127.0.0.1' });
    const script = (blocks[2] ?? '')
      .replace('$(cat .data/postgres.api-key)', API_KEY)
      .replace('http://localhost:3567', url);
    const { stdout } = await run('bash', ['-c', script]);
    const answers = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(answers.map((answer) => [answer.status, answer.user.emails])).toEqual([
      ['OK', ['bcrypt@example.com']],
      ['OK', ['argon2@example.com']],
      ['OK', ['scrypt@example.com']],
      ['OK', ['social@example.com']],
      ['OK', ['bcrypt@example.com']],
      ['OK', ['argon2@example.com']],
      ['OK', ['scrypt@example.com']],
    ]);
  });
});
