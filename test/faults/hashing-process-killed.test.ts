import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { processStart } from '../../src/embedded-postgres/owner.ts';
import { until } from '../../src/lib/async/until.ts';
import { importOf } from '../support/client.ts';
import { useServices } from '../support/compiled-service.ts';
import { IMPORT } from '../support/service-calls.ts';

const services = useServices();

const ORDINARY = importOf(1);
/** A hash that takes a minute to verify. */
const ENDLESS = { email: 'endless@b.c', passwordHash: `$2b$20$${'.'.repeat(53)}` };
const WIDE = { HASHING_MAX_MS: '600000' };

/** Returns the pid of the service's hashing process, once it exists. */
async function childOf(service: { pid: number }): Promise<number> {
  let found: RegExpExecArray | null = null;
  await until(async () => {
    const { stdout } = await promisify(execFile)('ps', ['-A', '-ww', '-o', 'pid=,ppid=,command=']);
    found = new RegExp(`^ *(\\d+) +${service.pid} .*hashing-child\\.js$`, 'm').exec(stdout);
    return found !== null;
  }, 10_000);
  return Number(found?.[1]);
}

async function startWithEndlessSignIn() {
  const { service, client } = await services.begin(WIDE, 10);
  for (const user of [ENDLESS, ORDINARY]) {
    const { body } = await client.send('POST', IMPORT, user);
    expect(body.status).toBe('OK');
  }
  const signIn = (email: string) =>
    client.send('POST', '/recipe/signin', { email, password: ORDINARY.password });
  const endless = signIn(ENDLESS.email);
  const hashing = await childOf(service);
  return { service, signIn, endless, hashing };
}

it('one sign-in fails if the hashing process dies, and the others continue', async () => {
  const { service, signIn, endless, hashing } = await startWithEndlessSignIn();
  expect((await signIn(ORDINARY.email)).body.status).toBe('OK');
  process.kill(hashing, 'SIGKILL');
  expect(await endless).toMatchObject({ status: 500, body: { code: 'INTERNAL' } });
  const isLogged = () => service.stdout.includes('the hashing process is lost: it ');
  expect(await until(isLogged, 10_000)).toBe(true);
  expect((await signIn(ORDINARY.email)).body.status).toBe('OK');

  // The next sign-in starts another hashing process.
  const again = signIn(ENDLESS.email);
  const next = await childOf(service);
  expect(next).not.toBe(hashing);
  process.kill(next, 'SIGKILL');
  expect((await again).status).toBe(500);
});

it('a killed service leaves no hashing process behind', async () => {
  const { service, endless, hashing } = await startWithEndlessSignIn();
  const dropped = expect(endless).rejects.toThrow();
  await service.kill();
  await dropped;
  expect(await until(async () => (await processStart(hashing)) === undefined, 1000)).toBe(true);
});
