/** The example scripts, in doubles of the providers that run or call them, against the service. */
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { API_KEY, createTestApp, type TestApp } from '../support/app.ts';
import { BCRYPT } from '../support/example-hashes.ts';
import { importWithId } from '../support/import-calls.ts';
import { listen } from './askers.ts';
import { auth0, cognito, fusionAuth, type Hooks, logto, type Provider, zitadel } from './script-doubles.ts';

let service: TestApp;
let hooks: Hooks;
const closings: (() => unknown)[] = [];
beforeAll(async () => {
  service = await createTestApp({ config: { password_hooks_profiles: true } });
  closings.push(() => service.close());
  hooks = { url: await listen(service), key: API_KEY };
});
afterAll(async () => {
  for (const close of closings.reverse()) await close();
});

let users = 0;

/** Imports a user who waits. Returns the address. */
async function newUser({ isVerified = true } = {}): Promise<string> {
  users++;
  const email = `ada-${users}@b.c`;
  const { hash: passwordHash } = BCRYPT;
  const user = {
    externalUserId: `old-${users}`,
    userMetadata: { plan: 'gold' },
    userRoles: [{ role: 'editor' }],
    loginMethods: [{ recipeId: 'emailpassword', email, passwordHash, isVerified }],
  };
  await importWithId(service, `import-${users}`, [user]);
  return email;
}

/** Answers in the place of the service. Returns the address. */
async function standIn(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  closings.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Asks the service the same. */
const forward =
  (more: object = {}): RequestListener =>
  async (request, response) => {
    const { authorization = '', 'api-key': key = authorization.slice('Bearer '.length) } = request.headers;
    const headers = { 'api-key': String(key), 'content-type': 'application/json', ...more };
    const init = { method: 'POST', headers, body: await text(request) };
    const answer = await fetch(hooks.url + request.url, init);
    response.writeHead(answer.status).end(await answer.text());
  };

async function opened<Double extends { close(): unknown }>(double: Promise<Double>): Promise<Double> {
  const { close } = await double;
  closings.push(close);
  return double;
}

interface Row {
  open(at: Hooks, email: string): Promise<Provider>;
  tellsFaults: boolean;
  /** Milliseconds after which the provider ends the script. */
  limitMs?: number;
}

const PROVIDERS: Record<string, Row> = {
  'auth0-database.js': { open: async (at) => auth0(at), tellsFaults: true, limitMs: 20_000 },
  'cognito-migrate-user.mjs': { open: async (at) => cognito(at), tellsFaults: true, limitMs: 5000 },
  'logto-first-factor.js': { open: async (at) => logto(at), tellsFaults: false, limitMs: 5000 },
  'fusionauth-connector.mjs': { open: (at) => opened(fusionAuth(at)), tellsFaults: false },
  'zitadel-target.mjs': { open: (at, email) => opened(zitadel(at, email)), tellsFaults: true },
};

const MATCH = JSON.stringify({
  status: 'MATCH',
  user: { id: 'x', email: 'ada@b.c', isVerified: true, roles: [] },
});

const FAULTS: Record<string, RequestListener> = {
  'answers 500': (_, response) => response.writeHead(500).end(MATCH),
  'closes the connection': (request) => request.socket.destroy(),
  'does not answer': () => undefined,
  'refuses the key': forward({ 'api-key': 'a-wrong-key-0123456789' }),
  'is overloaded': (_, response) => response.writeHead(503).end('{"status":"NO_MATCH"}'),
  'is another server': (request, response) => {
    if (request.url === '/') return response.end(MATCH);
    return response.writeHead(307, { location: '/' }).end();
  },
  ...Object.fromEntries(
    ['', '<html>', 'null', '{}', '[]', '{"status":"OK"}', '{"status":"match"}'].map((body) => [
      `answers 200 with "${body}"`,
      (_, response) => response.end(body),
    ]),
  ),
};

describe.each(Object.entries(PROVIDERS))('%s', (_, { open, tellsFaults, limitMs = 0 }) => {
  const isFault: Awaited<ReturnType<Provider['signIn']>> = tellsFaults ? 'fault' : 'wrong password';
  const realTimeout = AbortSignal.timeout;
  let provider: Provider;
  let email: string;
  let behave: RequestListener;
  beforeAll(async () => {
    const url = await standIn((request, response) => behave(request, response));
    email = await newUser();
    provider = await open({ ...hooks, url, timeoutMs: 2000 }, email);
  });
  beforeEach(() => {
    const timeout = vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
      expect(ms).toBeLessThan(limitMs);
      return realTimeout.call(AbortSignal, 2000);
    });
    return () => timeout.mockRestore();
  });

  it.each(Object.entries(FAULTS))('lets nobody in if the service %s', async (__, fault) => {
    behave = fault;
    expect(await provider.signIn(email, BCRYPT.password)).toBe(isFault);
  });

  it('lets nobody in if the service is away', async () => {
    const { signIn } = await open({ ...hooks, url: 'http://127.0.0.1:1' }, email);
    expect(await signIn(email, BCRYPT.password)).toBe(isFault);
  });

  it('lets in with the right password only', async () => {
    behave = forward();
    expect(await provider.signIn(email, 'wrong')).toBe('wrong password');
    expect(await provider.signIn(email, BCRYPT.password)).toBe('in');
  });
});

/** The service behind an address of its own. `asked` has the paths of the questions. */
async function counted() {
  const asked: (string | undefined)[] = [];
  const answer = forward();
  const url = await standIn((request, response) => {
    asked.push(request.url);
    answer(request, response);
  });
  return { asked, at: { ...hooks, url } };
}

describe('auth0-database.js', () => {
  it('brings the profile with the right password', async () => {
    const email = await newUser();
    expect(await auth0(hooks).run('login', ` A${email.slice(1)}`, BCRYPT.password)).toEqual({
      error: null,
      profile: {
        ...{ user_id: `old-${users}`, email, email_verified: true },
        ...{ user_metadata: { plan: 'gold' }, app_metadata: { roles: ['editor'] } },
      },
    });
  });

  it('finds a user before a reset of the password', async () => {
    const { run } = auth0(hooks);
    const found = await run('getUser', await newUser());
    expect(found).toMatchObject({ error: null, profile: { user_id: `old-${users}` } });
    expect(await run('getUser', 'nobody@b.c')).toEqual({ error: null, profile: null });
  });

  it('takes no answer of another server for an unknown address', async () => {
    const url = await standIn((_, response) => response.end('{}'));
    expect((await auth0({ ...hooks, url }).run('getUser', 'nobody@b.c')).error).not.toBeNull();
  });
});

describe('cognito-migrate-user.mjs', () => {
  it('confirms a user with the right password', async () => {
    const email = await newUser();
    const { trigger } = cognito(hooks);
    expect(await trigger('UserMigration_Authentication', email.toUpperCase(), BCRYPT.password)).toEqual({
      userAttributes: {
        ...{ username: email, email, email_verified: 'true' },
        'custom:old_id': `old-${users}`,
      },
      ...{ finalUserStatus: 'CONFIRMED', messageAction: 'SUPPRESS' },
    });
  });

  it('lets a user reset a password that was never moved', async () => {
    const { trigger } = cognito(hooks);
    const answer = await trigger('UserMigration_ForgotPassword', await newUser());
    expect(answer).toMatchObject({ userAttributes: { email_verified: 'true' } });
    expect(answer).not.toHaveProperty('finalUserStatus');
    await expect(trigger('UserMigration_ForgotPassword', 'nobody@b.c')).rejects.toThrow('Incorrect');
  });
});

describe('logto-first-factor.js', () => {
  it('creates the user with the password, and never asks about somebody whom Logto has', async () => {
    const email = await newUser();
    const { accounts, audit, signIn } = logto(hooks);
    expect(await signIn(email.toUpperCase(), BCRYPT.password)).toBe('in');
    const customData = { plan: 'gold', roles: ['editor'], oldId: `old-${users}` };
    expect(accounts.get(email)).toEqual({ primaryEmail: email, password: BCRYPT.password, customData });
    accounts.set(email, { primaryEmail: email, password: 'new', customData });
    expect(await signIn(email, BCRYPT.password)).toBe('wrong password');
    expect(audit).toEqual(['createUser', 'noop']);
    const unproven = await newUser({ isVerified: false });
    expect(await signIn(unproven, BCRYPT.password)).toBe('wrong password');
  });

  it('leaves a fault in the audit log', async () => {
    const { audit, signIn } = logto({ ...hooks, key: 'a-wrong-key-0123456789' });
    await signIn('ada@b.c', BCRYPT.password);
    expect(audit).toEqual(['Error: user-import-core answered 401']);
  });
});

describe('fusionauth-connector.mjs', () => {
  it('brings the user, whom FusionAuth then verifies itself', async () => {
    const email = await newUser();
    const { asked, at } = await counted();
    const { accounts, signIn } = await opened(fusionAuth(at));
    expect(await signIn(email.toUpperCase(), BCRYPT.password)).toBe('in');
    const applicationId = 'd37b1de2-a7ec-4c36-ad85-959402cd3fb9';
    expect(accounts.get(email)?.user).toEqual({
      ...{ id: expect.any(String), email, verified: true, active: true },
      data: { plan: 'gold', oldId: `old-${users}` },
      registrations: [{ applicationId, roles: ['editor'], verified: true }],
    });
    expect(await signIn(email, BCRYPT.password)).toBe('in');
    expect(asked).toEqual(['/hooks/verify']);
  });

  it('answers 404 to a wrong password only, and prints no password', async () => {
    const loginId = await newUser();
    const { ask, output } = await opened(fusionAuth(hooks));
    const question = (password: unknown) => JSON.stringify({ loginId, password });
    expect((await ask(question('wrong'))).status).toBe(404);
    expect((await ask(question(BCRYPT.password), 'another-key')).status).toBe(503);
    for (const body of ['', 'null', '{}', question(1), question(BCRYPT.password).slice(1)]) {
      expect((await ask(body)).status).toBe(503);
    }
    await vi.waitFor(() => expect(output).toHaveLength(6));
    expect(output.join()).not.toContain('old');
  });
});

describe('zitadel-target.mjs', () => {
  it('gives the old password to the user who waits, and asks no more', async () => {
    const email = await newUser();
    const { asked, at } = await counted();
    const { user, signIn, createSession } = await opened(zitadel(at, email));
    expect(await createSession('nobody@b.c', BCRYPT.password)).toBe('wrong password');
    expect(await createSession(email, BCRYPT.password)).toBe('in');
    expect(user).toEqual({ id: '327', password: BCRYPT.password, metadata: new Map() });
    expect(await signIn(email, 'wrong')).toBe('wrong password');
    expect(await signIn(email, BCRYPT.password)).toBe('in');
    expect(asked).toEqual(['/hooks/verify']);
  });

  it('takes no old password after a reset', async () => {
    const email = await newUser();
    const { user, reset, signIn } = await opened(zitadel(hooks, email));
    expect([await reset('new'), await reset('newer')]).toEqual([true, true]);
    expect(user.metadata.size).toBe(0);
    expect(await signIn(email, BCRYPT.password)).toBe('wrong password');
    user.metadata.set('old-login', email);
    expect(await signIn(email, BCRYPT.password)).toBe('wrong password');
    expect(user.password).toBe('newer');
  });

  it('uses its token for no other path than that of a user, whatever the caller of Zitadel sent', async () => {
    const { user, callTarget } = await opened(zitadel(hooks, await newUser()));
    const fullMethod = '/zitadel.session.v2.SessionService/CreateSession';
    for (const userId of ['x/../327', '327?', '../users/327', '..', '.']) {
      const request = { checks: { user: { userId }, password: { password: BCRYPT.password } } };
      expect(await callTarget({ fullMethod, request })).toBe(false);
    }
    expect(user.password).toBe('random');
  });

  it('refuses what Zitadel did not sign, and prints no password', async () => {
    const { user, callTarget, output } = await opened(zitadel(hooks, await newUser()));
    const request = { checks: { user: { userId: '327' }, password: { password: BCRYPT.password } } };
    const call = { fullMethod: '/zitadel.session.v2.SessionService/CreateSession', request };
    const body = JSON.stringify(call).slice(1);
    for (const how of [{ signingKey: 'another' }, { ageSeconds: 301 }, { ageSeconds: -301 }, { body }]) {
      expect(await callTarget(call, how)).toBe(false);
    }
    await vi.waitFor(() => expect(output).toHaveLength(4));
    expect(user.password).toBe('random');
    expect(output.join()).not.toContain('old');
    expect(await callTarget(call)).toBe(true);
    expect(user.password).toBe(BCRYPT.password);
  });
});
