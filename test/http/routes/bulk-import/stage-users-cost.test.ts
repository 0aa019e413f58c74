import { once } from 'node:events';
import { request } from 'node:http';
import { expect, it, onTestFinished, vi } from 'vitest';
import type { Config } from '../../../../src/config/schema.ts';
import { API_KEY, useTestApp } from '../../../support/app.ts';
import { Client } from '../../../support/client.ts';
import { STAGE, usersOf } from '../../../support/staging.ts';
import { PLAIN } from '../../../support/user-forms.ts';

/** Starts the service behind a socket. */
async function listening(config: Partial<Config>) {
  const service = await useTestApp({ stagedWaits: true, config });
  const url = await service.app.listen({ port: 0, host: '127.0.0.1' });
  const client = new Client(url, 8);
  onTestFinished(() => client.close());
  const headers = { 'api-key': API_KEY, 'content-type': 'application/json' };
  const upload = (body: string, contentLength = Buffer.byteLength(body)) => {
    const options = { method: 'POST', headers: { ...headers, 'content-length': contentLength } };
    const sent = request(url + STAGE, options).on('error', () => {});
    sent.write(body);
    return sent;
  };
  return { service, client, upload };
}

it('accepts as many simultaneous uploads as streams, and more when one is over', async () => {
  const { service, client, upload } = await listening({ bulk_import_connections: 1 });
  const stageOne = () => client.send('POST', STAGE, { users: usersOf(1) });
  for (let count = 0; count < 3; count += 1) expect((await stageOne()).status).toBe(200);
  const arrival = once(service.app.server, 'request');
  const unfinished = upload('{', 100);
  await arrival;
  expect(await stageOne()).toMatchObject({ status: 503, body: { code: 'OVERLOADED' } });
  unfinished.destroy();
  await vi.waitFor(async () => expect((await stageOne()).status).toBe(200), 10_000);
});

it('stops hashing for a caller that has left, and stores nothing', async () => {
  const { service, client, upload } = await listening({
    argon2_memory_kb: 20_000,
    argon2_iterations: 2,
    hashing_concurrency: 1,
  });
  const hashing = vi.spyOn(service.passwords, 'hash');
  const plain = (email: string) => ({ loginMethods: [{ ...PLAIN, email }] });
  const left = upload(JSON.stringify({ users: Array.from({ length: 40 }, (_, n) => plain(`${n}@b.c`)) }));
  left.end();
  await vi.waitFor(() => expect(hashing).toHaveBeenCalled(), 10_000);
  left.destroy();
  await vi.waitFor(() => expect(service.log()).toContain('"msg":"request"'), 10_000);
  // Each request waits for the hashes that are left.
  for (const email of ['w@b.c', 'x@b.c', 'y@b.c', 'z@b.c']) {
    const signUp = await client.send('POST', '/recipe/signup', { email, password: 'any' });
    expect(signUp.body.status).toBe('OK');
  }
  expect(await service.database.db.query('select from staged_users')).toEqual([]);
});
