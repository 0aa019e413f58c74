import { execFileSync } from 'node:child_process';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { processStart } from '../../src/embedded-postgres/owner.ts';
import { Client, importOf, sendBlocked } from '../support/client.ts';
import { type ServiceProcess, useServices } from '../support/compiled-service.ts';
import { postmasterPid } from '../support/postmaster-pid.ts';
import { type Scratch, scratchDirectory } from '../support/scratch.ts';
import { IMPORT } from '../support/service-calls.ts';
import { blockImports, waitUntil } from './postgres.ts';

const services = useServices();
/** The tests use the database one after the other. */
let scratch: Scratch;
beforeAll(async () => {
  scratch = await scratchDirectory();
});
afterAll(() => scratch.remove());

async function start(): Promise<{ service: ServiceProcess; client: Client }> {
  const service = services.start({ EMBEDDED_POSTGRES_DIR: scratch.path });
  const url = await service.ready();
  const key = (await readFile(`${scratch.path}.api-key`, 'utf8')).trim();
  return { service, client: new Client(url, 8, key) };
}

/** Reads the URI from the files beside the data, because the service does not print it. */
async function databaseUri(): Promise<string> {
  const password = (await readFile(join(scratch.path, 'postgres-password'), 'utf8')).trim();
  const port = (await readFile(join(scratch.path, 'data/postmaster.pid'), 'utf8')).split('\n')[3];
  return `postgresql://postgres:${password}@127.0.0.1:${port}/user_import_core`;
}

it('recovers after it was killed, with its Postgres still running, and stops Postgres last on Ctrl-C', async () => {
  const first = await start();
  expect(await first.client.send('POST', IMPORT, importOf(1))).toMatchObject({ status: 200 });
  const orphan = await postmasterPid(scratch.path);
  await first.service.kill();
  first.client.close();
  expect(await processStart(orphan)).toBeDefined();

  const second = await start();
  expect(await processStart(orphan)).toBeUndefined();
  const { email, password } = importOf(1);
  expect(await second.client.send('POST', '/recipe/signin', { email, password })).toMatchObject({
    body: { status: 'OK', user: { emails: [email] } },
  });
  await expectCtrlC(second);
});

/** Checks that Ctrl-C finishes requests in flight, and stops Postgres last. */
async function expectCtrlC({ service, client }: Awaited<ReturnType<typeof start>>): Promise<void> {
  const lock = await blockImports(await databaseUri());
  const postgres = await postmasterPid(scratch.path);
  const replies = await sendBlocked(client, 8, lock.blocked);
  // A terminal sends Ctrl-C to the whole process group.
  process.kill(-service.pid, 'SIGINT');
  await waitUntil(() => service.logged('stopping').length === 1);
  await lock.release();
  for (const reply of await Promise.all(replies)) expect(reply.status).toBe(200);
  expect(await service.ended()).toBe(0);
  expect(service.logged('a step of the stop failed')).toEqual([]);
  expect(await processStart(postgres)).toBeUndefined();
  await expect(stat(join(scratch.path, 'data/postmaster.pid'))).rejects.toMatchObject({ code: 'ENOENT' });
  client.close();
}

it('stops, together with Postgres, when its terminal is closed', async (context) => {
  try {
    execFileSync('script', ['--version'], { stdio: 'ignore' });
  } catch {
    if (process.env.CI === undefined) context.skip('script is not installed');
  }
  const terminal = services.startOnTerminal({ EMBEDDED_POSTGRES_DIR: scratch.path });
  await expect.poll(() => terminal.stdout, { timeout: 20_000 }).toContain('info  ready');
  const postgres = await postmasterPid(scratch.path);
  expect(await processStart(postgres)).toBeDefined();
  terminal.child.kill('SIGKILL');
  await waitUntil(async () => (await processStart(postgres)) === undefined);
  await expect(stat(join(scratch.path, 'data/postmaster.pid'))).rejects.toMatchObject({ code: 'ENOENT' });
  // The service releases its data directory at the end.
  await expect.poll(() => readdir(join(scratch.path, 'owner')), { timeout: 20_000 }).toEqual(['free']);
});

it('exits with a reason when its Postgres exits', async () => {
  const { service, client } = await start();
  process.kill(await postmasterPid(scratch.path), 'SIGKILL');
  expect(await service.ended()).toBe(1);
  expect(service.stderr).toMatch(
    /Cannot go on: PostgreSQL has ended by SIGKILL, \S+postgres\.log ends with:/,
  );
  expect(service.logged('cannot go on')).toHaveLength(1);
  client.close();
  const again = await start();
  expect(await again.client.send('POST', IMPORT, importOf(1))).toMatchObject({ status: 200 });
  again.client.close();
  again.service.child.kill('SIGTERM');
  expect(await again.service.ended()).toBe(0);
});
