import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { processStart } from '../../src/embedded-postgres/owner.ts';
import { Client } from '../support/client.ts';
import { type ServiceProcess, useServices } from '../support/compiled-service.ts';
import { ImportStream, sendAll } from '../support/import-stream.ts';
import { rowsOf } from '../support/rows-of.ts';
import { IMPORT } from '../support/service-calls.ts';
import { usersOf } from '../support/staging.ts';
import { migrationLines } from './migration.ts';
import { blockImports, waitUntil } from './postgres.ts';

/** A hash that takes half a minute, so that a stop that waits for it fails the test. */
const ENDLESS_HASH = `$argon2id$v=19$m=262144,t=150,p=1$${'A'.repeat(22)}$${'A'.repeat(43)}`;

const services = useServices();

const begin = (env: Record<string, string> = {}) =>
  services.begin({ SHUTDOWN_TIMEOUT_MS: '500', REQUEST_TIMEOUT_MS: '600000', ...env });

const childrenOf = async ({ pid }: ServiceProcess) =>
  (await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')).split(' ').filter(Boolean).map(Number);

async function expectStop(service: ServiceProcess): Promise<void> {
  service.child.kill('SIGTERM');
  expect(await service.ended()).toBe(0);
  expect(service.logged('stopped')).toHaveLength(1);
  expect(service.logged('a step of the stop failed')).toEqual([]);
}

it.runIf(process.platform === 'linux')('exits while a hash is computed that takes very long', async () => {
  const { service, client } = await begin({ HASHING_MAX_MS: '600000', HASHING_MEMORY_MB: '1024' });
  const [email, passwordHash] = ['a@b.c', ENDLESS_HASH];
  const imported = await client.send('POST', IMPORT, { email, passwordHash });
  expect(imported.status).toBe(200);
  const answers = [email, email, 'nobody@b.c'].map((address) =>
    client.send('POST', '/recipe/signin', { email: address, password: 'any' }).catch(() => undefined),
  );
  await waitUntil(async () => (await childrenOf(service)).length > 0);
  const children = await childrenOf(service);
  await expectStop(service);
  for (const answer of await Promise.all(answers))
    expect(answer?.body.code ?? 'SHUTTING_DOWN').toBe('SHUTTING_DOWN');
  await waitUntil(async () =>
    (await Promise.all(children.map(processStart))).every((one) => one === undefined),
  );
});

it('exits while an import and a dry run wait for a lock', async () => {
  const { uri, service, url } = await begin();
  const lock = await blockImports(uri);
  const [stream, dryRun] = ['', '-dry&dryRun=true'].map((query) => {
    const begun = new ImportStream(url, `?importId=it${query}`);
    void sendAll(begun, migrationLines(20_000));
    return begun;
  }) as [ImportStream, ImportStream];
  await waitUntil(async () => (await lock.blocked()) > 0);
  await expectStop(service);
  await lock.release();
  await dryRun.finished();
  const report = await stream.finished();
  const stored = new Set((await rowsOf(uri, 'select user_id from users')).map(({ user_id }) => user_id));
  expect(report.results.filter(({ userId }) => userId !== undefined && !stored.has(userId))).toEqual([]);
});

it('exits while staged users cannot be written, and the next start imports them', {
  timeout: 60_000,
}, async () => {
  const { uri, service, client } = await begin();
  const lock = await blockImports(uri);
  const staged = await client.send('POST', '/bulk-import/users', { users: usersOf(50) });
  expect(staged.status).toBe(200);
  await waitUntil(async () => (await lock.blocked()) > 0);
  await expectStop(service);
  await lock.release();
  const next = services.startOn(uri);
  const again = new Client(await next.ready(), 1);
  await expect
    .poll(async () => (await again.send('GET', '/users/count')).body.count, { timeout: 40_000 })
    .toBe(50);
});
