import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type createTestApp, useTestApp } from '../support/app.ts';
import { signInStatus } from '../support/service-calls.ts';
import { runCli } from './command-line.ts';

const SAMPLES = join(import.meta.dirname, '../sources/samples/kratos');
const FILE = join(SAMPLES, 'identities.json');
const [{ users }] = JSON.parse(readFileSync(join(SAMPLES, 'expected.json'), 'utf8')).exports;
/** The only user of the Firebase sample whose signer key is in the hash. */
const USER = users.find(({ hash }: { hash?: { signerKey?: string } }) => hash?.signerKey !== undefined);
const KEY: string = USER.hash.signerKey;

async function listening(options: Parameters<typeof createTestApp>[0]) {
  const service = await useTestApp(options);
  return { service, url: await service.app.listen({ port: 0, host: '127.0.0.1' }) };
}

it('an import with keys in its rows stops if the service does not have them, and writes nothing', async () => {
  const { service, url } = await listening({});
  const { code, stderr } = await runCli(['import', FILE, '--url', url, '--yes']);
  expect([code, stderr]).toEqual([1, expect.stringContaining('\nhashing_secrets:\n  - id: signer-key-')]);
  expect(stderr).not.toContain(KEY.slice(0, 8));
  expect((await service.send('GET', '/users/count')).body.count).toBe(0);

  const inspected = await runCli(['inspect', FILE, '--url', url]);
  expect([inspected.code, inspected.stdout]).toEqual([2, expect.stringContaining('hashing_secrets:')]);
  expect(inspected.stdout).not.toContain(KEY.slice(0, 8));
});

it('names the entry of the configuration that has the key', async () => {
  const { service, url } = await listening({
    config: { hashing_secrets: [{ id: 'old-project', algorithms: ['external_scrypt'], secret_base64: KEY }] },
  });
  const run = (...words: string[]) => runCli([...words, '--url', url]);
  expect((await run('inspect', FILE)).stdout).not.toContain('hashing_secrets:');
  const proved = await runCli(['prove', FILE, '--email', USER.email, '--url', url], {
    input: `${USER.password}\n`,
  });
  expect([proved.code, proved.stdout]).toEqual([0, expect.stringContaining('It matches')]);
  await run('import', FILE, '--yes');
  const { email, password } = USER;
  expect(await signInStatus(service, email, password)).toBe('OK');
});
