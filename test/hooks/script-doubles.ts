/** Doubles of the providers whose scripts are in `examples`. Each reads answers as its documentation or source says. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { json } from 'node:stream/consumers';
import { runInNewContext } from 'node:vm';
import { vi } from 'vitest';
import { isJsonObject } from '../../src/lib/json/json-object.ts';
import { isUuid } from '../../src/lib/text/characters.ts';

/** Whom a script asks, and how long it waits if it can be told. */
export interface Hooks {
  url: string;
  key: string;
  timeoutMs?: number;
}

/** What a provider tells the person. */
export type Outcome = 'in' | 'wrong password' | 'fault';

export interface Provider {
  signIn(email: string, password: string): Promise<Outcome>;
  close?(): Promise<unknown>;
}

const exampleUrl = (name: string) => new URL(`../../examples/${name}`, import.meta.url);

// Auth0

class WrongUsernameOrPasswordError extends Error {}

type Callback = (error: Error | null, profile?: object | null) => void;

export function auth0({ url, key }: Hooks) {
  const text = readFileSync(exampleUrl('auth0-database.js'), 'utf8');
  const scripts: Record<'login' | 'getUser', (...call: [...string[], Callback]) => Promise<void>> =
    runInNewContext(`${text}; ({ login, getUser })`, {
      configuration: { HOOKS_URL: url, HOOKS_KEY: key },
      ...{ fetch, AbortSignal, WrongUsernameOrPasswordError },
    });
  const run = (name: 'login' | 'getUser', ...strings: string[]) =>
    new Promise<{ error: Error | null; profile: object | null | undefined }>((resolve) => {
      void scripts[name](...strings, (error, profile) => resolve({ error, profile }));
    });
  return {
    run,
    async signIn(email: string, password: string): Promise<Outcome> {
      const { error, profile } = await run('login', email, password);
      if (error === null) return profile ? 'in' : 'wrong password';
      return error instanceof WrongUsernameOrPasswordError ? 'wrong password' : 'fault';
    },
  };
}

// Cognito

export function cognito({ url, key }: Hooks) {
  async function trigger(triggerSource: string, userName: string, password?: string) {
    vi.stubEnv('HOOKS_URL', url).stubEnv('HOOKS_KEY', key);
    const { handler } = await import(exampleUrl('cognito-migrate-user.mjs').href);
    try {
      return (await handler({ triggerSource, userName, request: { password } })).response;
    } finally {
      vi.unstubAllEnvs();
    }
  }
  return {
    trigger,
    async signIn(email: string, password: string): Promise<Outcome> {
      try {
        const { finalUserStatus } = await trigger('UserMigration_Authentication', email, password);
        return finalUserStatus === 'CONFIRMED' ? 'in' : 'fault';
      } catch (error) {
        return String(error).includes('Incorrect username or password') ? 'wrong password' : 'fault';
      }
    },
  };
}

// Logto

interface LogtoUser {
  password: string;
  primaryEmail: string;
  customData: unknown;
}

const LOGTO_FIELDS = ['username', 'primaryEmail', 'primaryPhone', 'name', 'avatar', 'profile', 'customData'];

/** The route `verification/password` of Logto's Experience API, and its runner of scripts. */
export function logto({ url, key }: Hooks) {
  const accounts = new Map<string, LogtoUser>();
  /** What the audit log says of each run. */
  const audit: string[] = [];
  const text = readFileSync(exampleUrl('logto-first-factor.js'), 'utf8');
  const runAction = runInNewContext(`${text}\n;typeof runAction === 'function' ? runAction : undefined;`, {
    ...{ fetch, AbortSignal },
  });

  async function resultOf(event: object): Promise<unknown> {
    try {
      const environmentVariables = { HOOKS_URL: url, HOOKS_KEY: key };
      const result = structuredClone(await runAction({ event, environmentVariables }));
      audit.push(result === undefined ? 'noop' : result.action);
      return result;
    } catch (error) {
      // Both policies for errors of scripts end in `session.invalid_credentials`.
      audit.push(String(error));
      return undefined;
    }
  }

  async function signIn(value: string, password: string): Promise<Outcome> {
    const known = accounts.get(value.toLowerCase());
    if (known?.password === password) return 'in';
    const result = await resultOf({
      key: 'action.postFirstFactorVerification',
      ...{ interactionEvent: 'SignIn', verificationType: 'Password', password },
      identifier: { type: 'email', value },
      user: known === undefined ? null : { id: 'u1', primaryEmail: known.primaryEmail, customData: {} },
    });
    if (!isJsonObject(result) || result.passwordVerified !== true) return 'wrong password';
    const { action, user } = result;
    if (!isJsonObject(user) || !Object.keys(user).every((field) => LOGTO_FIELDS.includes(field))) {
      return 'wrong password';
    }
    const primaryEmail = String(user.primaryEmail ?? value);
    if (primaryEmail.toLowerCase() !== value.toLowerCase()) return 'fault';
    if (action !== (known === undefined ? 'createUser' : 'updateUser')) return 'fault';
    accounts.set(value.toLowerCase(), { primaryEmail, password, customData: user.customData });
    return 'in';
  }
  return { accounts, audit, signIn };
}

// Servers of one's own

interface Script {
  url: string;
  /** Everything that the script has printed. */
  output: string[];
  close(): Promise<unknown>;
}

async function start(name: string, { url, key, timeoutMs }: Hooks, settings: object): Promise<Script> {
  const child: ChildProcess = spawn(process.execPath, [exampleUrl(name).pathname], {
    env: {
      ...{ HOOKS_URL: url, HOOKS_KEY: key, PORT: '0' },
      ...(timeoutMs !== undefined && { TIMEOUT_MS: String(timeoutMs) }),
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output: string[] = [];
  if (child.stdout === null || child.stderr === null) throw new Error('no pipes');
  createInterface(child.stderr).on('line', (line) => output.push(line));
  const [line] = await once(createInterface(child.stdout), 'line');
  const close = () => {
    child.kill();
    return once(child, 'exit');
  };
  return { url: `http://127.0.0.1:${String(line).replace(/\D/g, '')}`, output, close };
}

/** Status of a call, or 0 without an answer. */
async function post(url: string, body: string, headers: Record<string, string>) {
  try {
    const init = { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body };
    const response = await fetch(url, init);
    return { status: response.status, text: await response.text() };
  } catch {
    return { status: 0, text: '' };
  }
}

// FusionAuth

/** A tenant whose policy has a generic connector with "Migrate user", and then FusionAuth itself. */
export async function fusionAuth(hooks: Hooks) {
  const script = await start('fusionauth-connector.mjs', hooks, { CONNECTOR_KEY: 'connector-key' });
  const accounts = new Map<string, { password: string; user: object }>();

  const ask = (body: string, key = 'connector-key') =>
    post(script.url, body, { authorization: `Bearer ${key}` });

  async function signIn(loginId: string, password: string): Promise<Outcome> {
    const known = accounts.get(loginId.toLowerCase());
    if (known !== undefined) return known.password === password ? 'in' : 'wrong password';
    const question = { applicationId: 'd37b1de2-a7ec-4c36-ad85-959402cd3fb9', loginId, password };
    const { status, text } = await ask(JSON.stringify({ ...question, noJWT: false, newDevice: false }));
    // All else is 404 to the person, "to prevent enumeration attacks".
    if (status !== 200) return 'wrong password';
    const { user } = JSON.parse(text);
    if (!isUuid(user.id) || typeof user.email !== 'string') return 'fault';
    accounts.set(loginId.toLowerCase(), { password, user });
    return 'in';
  }
  return { ...script, accounts, ask, signIn };
}

// Zitadel

const SIGNING_KEY = 'signing-key';
const TOKEN = 'zitadel-token';
const SET_PASSWORD = '/zitadel.user.v2.UserService/SetPassword';

/** Zitadel with one user who waits, the API that the target calls, and a target with `interruptOnError`. */
export async function zitadel(hooks: Hooks, email: string) {
  const user = { id: '327', password: 'random', metadata: new Map([['old-login', email]]) };

  function answerOf(method: string, url: URL, body: unknown): object | undefined {
    const call = `${method} ${url.pathname}`;
    const member = (name: string) => (isJsonObject(body) ? body[name] : undefined);
    if (call === 'GET /v2/sessions/s1') {
      return url.searchParams.get('sessionToken') === 't/1'
        ? { session: { factors: { user: { id: user.id } } } }
        : undefined;
    }
    if (call === 'POST /v2/users') {
      const isKnown = JSON.stringify(member('queries')).includes(email);
      return { details: {}, ...(isKnown && { result: [{ userId: user.id }] }) };
    }
    if (call === `POST /v2/users/${user.id}/metadata/search`) {
      const found = [...user.metadata].map(([key, value]) => ({ key, value: btoa(value) }));
      return { pagination: {}, ...(found.length > 0 && { metadata: found }) };
    }
    if (call === `DELETE /v2/users/${user.id}/metadata`) {
      return user.metadata.delete(url.searchParams.get('keys') ?? '') ? {} : undefined;
    }
    if (call !== `PATCH /v2/users/${user.id}`) return undefined;
    const [, password] = /^\{"password":\{"password":\{"password":"(.+)"\}\}\}$/.exec(
      JSON.stringify(member('human')),
    ) ?? ['', ''];
    user.password = password ?? '';
    return {};
  }

  const api = createServer(async (request, response) => {
    const url = new URL(request.url ?? '', 'http://zitadel');
    const body = request.headers['content-length'] === undefined ? undefined : await json(request);
    const isAllowed = request.headers.authorization === `Bearer ${TOKEN}`;
    const answer = isAllowed ? answerOf(request.method ?? '', url, body) : undefined;
    response.writeHead(answer === undefined ? 404 : 200).end(JSON.stringify(answer ?? { code: 5 }));
  }).listen(0, '127.0.0.1');
  await once(api, 'listening');
  const { port } = api.address() as AddressInfo;
  const settings = { SIGNING_KEY, ZITADEL_URL: `http://127.0.0.1:${port}`, ZITADEL_TOKEN: TOKEN };
  const script = await start('zitadel-target.mjs', hooks, settings);

  /** Calls the target as `internal/execution` does. */
  async function callTarget(
    call: object,
    { signingKey = SIGNING_KEY, ageSeconds = 0, body = JSON.stringify(call) } = {},
  ): Promise<boolean> {
    const seconds = Math.floor(Date.now() / 1000) - ageSeconds;
    const signature = createHmac('sha256', signingKey).update(`${seconds}.${body}`).digest('hex');
    const headers = { 'zitadel-signature': `t=${seconds},v1=${signature}` };
    const { status, text } = await post(script.url, body, headers);
    return status >= 200 && status < 300 && !text.includes('forwarded');
  }

  async function signInWith(method: string, request: { checks: object }, password: string): Promise<Outcome> {
    const checks = { ...request.checks, password: { password } };
    const fullMethod = `/zitadel.session.v2.SessionService/${method}`;
    const goesOn = await callTarget({ fullMethod, instanceID: '1', request: { ...request, checks } });
    if (!goesOn) return 'fault';
    return user.password === password ? 'in' : 'wrong password';
  }
  return {
    ...{ user, callTarget, output: script.output },
    signIn: (_email: string, password: string) =>
      signInWith('SetSession', { ...{ sessionId: 's1', sessionToken: 't/1' }, checks: {} }, password),
    createSession: (loginName: string, password: string) =>
      signInWith('CreateSession', { checks: { user: { loginName } } }, password),
    async reset(password: string) {
      user.password = password;
      return callTarget({ fullMethod: SET_PASSWORD, request: { userId: user.id }, response: {} });
    },
    async close() {
      await script.close();
      api.close();
    },
  };
}
