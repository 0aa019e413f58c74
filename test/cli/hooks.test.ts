/** `hooks check` and `status --waiting`, against the service and against servers that answer for it. */
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { Config } from '../../src/config/schema.ts';
import { HOOKS, type Hook } from '../../src/hooks/moves.ts';
import { API_KEY, useTestApp } from '../support/app.ts';
import { BCRYPT } from '../support/example-hashes.ts';
import { importUser } from '../support/service-calls.ts';
import { readNdjson, runCli, scratch } from './command-line.ts';

function keyFile(): string {
  const file = join(scratch(), 'key');
  writeFileSync(file, API_KEY, { mode: 0o600 });
  return file;
}

async function useService(password_hooks: readonly Hook[] = HOOKS, config: Partial<Config> = {}) {
  const service = await useTestApp({ config: { ...config, password_hooks: [...password_hooks] } });
  const url = await service.app.listen({ port: 0, host: '127.0.0.1' });
  return { ...service, url };
}

/** A server that answers every request in the same way. */
async function useImpostor(
  status: number,
  body = '{}',
  headers: Record<string, string> = {},
): Promise<string> {
  const server = createServer((_request, response) => response.writeHead(status, headers).end(body));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const check = (hook: string, url: string) =>
  runCli(['hooks', 'check', hook, '--url', url, '--api-key-file', keyFile(), '--json']);

it.each(HOOKS)('%s of the service is right', async (hook) => {
  const { url } = await useService();
  expect(await check(hook, url)).toMatchObject({ code: 0, stderr: '' });
});

it.each(HOOKS)('%s that is not served is wrong', async (hook) => {
  const { url } = await useService(HOOKS.filter((one) => one !== hook));
  const { code, stdout } = await check(hook, url);
  expect([code, JSON.parse(stdout).problems[0]]).toEqual([2, expect.stringContaining('password_hooks')]);
});

it.each(HOOKS)('a server that answers 200 to everything is no %s', async (hook) => {
  for (const body of ['', '{}', '{"status":"MATCH"}', '{"status":"password_match"}', '<html>']) {
    const { code, stdout } = await check(hook, await useImpostor(200, body));
    expect([code, JSON.parse(stdout).problems.length > 0]).toEqual([2, true]);
    expect(stdout).toContain('anybody could sign in');
  }
});

it('a proxy that answers 403 or 401 for the service is found by the header and by the wrong key', async () => {
  for (const [hook, status] of [
    ['kratos', 403],
    ['keycloak', 401],
  ] as const) {
    const { code, stdout } = await check(hook, await useImpostor(status));
    expect([code, JSON.parse(stdout).problems]).toEqual([
      2,
      [expect.stringContaining('x-user-import-hook'), expect.stringContaining('A wrong key got status')],
    ]);
  }
});

it('status --waiting writes who waits, and shows who has moved', async () => {
  const service = await useService();
  for (const name of ['ada', 'bob', 'cy']) await importUser(service, `${name}@b.c`, BCRYPT.hash);
  await service.send('POST', '/hooks/verify', { identifier: 'bob@b.c', password: BCRYPT.password });
  const file = join(scratch(), 'waiting.ndjson');
  const { code, stdout } = await runCli([
    ...['status', '--waiting', file, '--url', service.url, '--api-key-file', keyFile(), '--json'],
  ]);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ waiting: 2, moved: [{ keyName: 'key-1', state: 'moved' }] });
  expect(readNdjson(readFileSync(file, 'utf8'))).toEqual(
    ['ada', 'cy'].map((name) => ({ email: `${name}@b.c`, algorithm: 'bcrypt' })),
  );
});

it.each([
  [['hash'], 'waiting', 'are in user-import census'],
  [[], 'off', 'does not ask a legacy system at first sign-ins, either'],
  [['verify'], 'off', undefined],
] as const)(
  'status --waiting says that nobody moves: hooks %j, legacy system %s',
  async (hooks, asked, said) => {
    const { url } = await useService(hooks, {
      legacy_signin_for: asked,
      legacy_signin_url: 'http://127.0.0.1:9',
      legacy_signin_secret: `whsec_${Buffer.alloc(32).toString('base64')}`,
    });
    const { code, stderr } = await runCli([
      'status',
      '--waiting',
      join(scratch(), 'waiting.ndjson'),
      '--url',
      url,
      '--api-key-file',
      keyFile(),
    ]);
    expect(code).toBe(0);
    expect(stderr.includes('serves no hook that moves users')).toBe(said !== undefined);
    expect(stderr).toContain(said ?? 'Next:');
  },
);
