/**
 * Usage: `npm run demo`. Imports the users of users.json and signs each in, with an explanation, and moves one person in from
 * legacy-system.ts at the first sign-in. `npm run demo -- FILES…` imports an unmodified export of another system with the
 * command line. Uses the service at `BASE_URL` with `API_KEY`, or starts one with a temporary database.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, open, readFile, rm, stat } from 'node:fs/promises';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '../src/config/read-config.ts';
import { hasEmbeddedPostgres } from '../src/embedded-postgres/start-embedded-postgres.ts';
import { createLogger } from '../src/lib/log.ts';
import { readMigrations } from '../src/postgres/migrate/apply-migrations.ts';
import { configOrExit } from '../src/service/exit.ts';
import { startService } from '../src/service/start.ts';
import { createLegacySystem } from './legacy-system.ts';

interface Users {
  signerKey: string;
  passwordUsers: { kind: string; import: { email: string }; password: string }[];
  thirdPartyUsers: { thirdPartyId: string; email: { id: string } }[];
}

/** The members of answers that are read here. */
interface Answer {
  status: string;
  message: string;
  user: { id: string };
  didUserAlreadyExist: boolean;
  createdNewUser: boolean;
}

const users: Users = JSON.parse(await readFile(new URL('users.json', import.meta.url), 'utf8'));

/** A person in the legacy system. */
const GRACE = { id: 'legacy-1', password: 'password of Grace' };

const files = process.argv.slice(2);

const interrupted = new AbortController();
let importing: ChildProcess | undefined;
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
  process.on(signal, () => {
    interrupted.abort();
    // A terminal sends SIGINT and SIGHUP to the command line itself.
    if (signal === 'SIGTERM') importing?.kill(signal);
  });
}

/** Imports files with the command line, as an operator would. */
async function importFiles(baseUrl: string, apiKey: string): Promise<void> {
  interrupted.signal.throwIfAborted();
  const cli = new URL('../src/cli.ts', import.meta.url).pathname;
  const args = ['--import', 'tsx', cli, 'import', ...files, '--yes', '--url', baseUrl];
  importing = spawn(process.execPath, args, {
    stdio: 'inherit',
    env: { ...process.env, USER_IMPORT_API_KEY: apiKey },
  });
  const [code] = await once(importing, 'exit');
  // The code is null if a signal ended the process.
  process.exitCode = code ?? 1;
}

/**
 * Returns the signer key in the Firebase hash parameters, a small text file. The service needs it to verify
 * hashes of Firebase.
 */
async function signerKeyIn(paths: readonly string[]): Promise<string> {
  for (const path of paths) {
    // The command line reports why a file cannot be read.
    const head = await headOf(path).catch(() => '');
    const [, key] = /base64_signer_key:\s*"?([A-Za-z0-9+/=]+)/.exec(head) ?? [];
    if (key !== undefined) return key;
  }
  return users.signerKey;
}

/** Returns the beginning of a file. Returns nothing for a pipe, which can be read only once. */
async function headOf(path: string): Promise<string> {
  if (!(await stat(path)).isFile()) return '';
  await using file = await open(path);
  const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(4096) });
  return buffer.toString('utf8', 0, bytesRead);
}

/** Returns a function that sends a call to the service and returns its answer. */
function caller(baseUrl: string, apiKey: string) {
  return async (path: string, body: unknown): Promise<Answer> => {
    const response = await fetch(baseUrl + path, {
      method: 'POST',
      headers: { 'api-key': apiKey, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: interrupted.signal,
    });
    const answer = (await response.json()) as Answer;
    if (!response.ok) throw new Error(`${path}: ${response.status} ${answer.message}`);
    return answer;
  };
}

async function demo(baseUrl: string, apiKey: string): Promise<void> {
  if (files.length > 0) return importFiles(baseUrl, apiKey);
  const post = caller(baseUrl, apiKey);
  for (const { kind, import: user, password } of users.passwordUsers) {
    const { user: imported, didUserAlreadyExist } = await post('/recipe/user/passwordhash/import', user);
    const right = await post('/recipe/signin', { email: user.email, password });
    const wrong = await post('/recipe/signin', { email: user.email, password: `not ${password}` });
    console.log(`${kind}: ${didUserAlreadyExist ? 'updated' : 'created'} ${user.email} (${imported.id})`);
    console.log(`  old password: ${right.status}, another: ${wrong.status}`);
    if (right.status !== 'OK' || wrong.status === 'OK')
      throw new Error(`${kind} does not sign in as it should`);
  }
  for (const user of users.thirdPartyUsers) {
    const first = await post('/recipe/signinup', user);
    const again = await post('/recipe/signinup', user);
    console.log(
      `${user.thirdPartyId}: ${first.createdNewUser ? 'created' : 'found'} ${user.email.id} (${first.user.id})`,
    );
    console.log(
      `  again: ${again.status}, ${again.user.id === first.user.id ? 'the same user' : 'ANOTHER user'}`,
    );
    if (again.user.id !== first.user.id) throw new Error('one identity became two users');
  }
}

/** Signs a person in whose password only the legacy system knows, and again when that system is gone. */
async function demoMovingIn(baseUrl: string, apiKey: string, legacy: Server): Promise<void> {
  const post = caller(baseUrl, apiKey);
  const email = 'grace@example.com';
  const { user } = await post('/recipe/user/passwordhash/import', { email, legacySignIn: true });
  const wrong = await post('/recipe/signin', { email, password: 'not hers' });
  const first = await post('/recipe/signin', { email, password: GRACE.password });
  legacy.closeAllConnections();
  legacy.close();
  const again = await post('/recipe/signin', { email, password: GRACE.password });
  console.log(`without a hash: created ${email} (${user.id}), who waits for the first sign-in`);
  console.log(
    `  password of the legacy system: ${first.status}, another: ${wrong.status}, again without that system: ${again.status}`,
  );
  if (first.status !== 'OK' || wrong.status === 'OK' || again.status !== 'OK')
    throw new Error('the person does not move in as she should');
}

async function demoOnOwnService(): Promise<void> {
  const secret = `whsec_${randomBytes(32).toString('base64')}`;
  const legacy = createLegacySystem(new Map([['grace@example.com', GRACE]]), secret);
  legacy.listen(0, '127.0.0.1').unref();
  await once(legacy, 'listening');
  const directory = await mkdtemp(join(tmpdir(), 'user-import-demo-'));
  const { config } = configOrExit(
    readConfig(
      {
        EMBEDDED_POSTGRES_DIR: join(directory, 'postgres'),
        EXTERNAL_PASSWORD_HASHING_SIGNER_KEY: await signerKeyIn(files),
        PORT: '0',
        CONFIG_FILE: '/dev/null',
        LEGACY_SIGNIN_FOR: 'waiting',
        LEGACY_SIGNIN_URL: `http://127.0.0.1:${(legacy.address() as AddressInfo).port}/`,
        LEGACY_SIGNIN_SECRET: secret,
      },
      { embeddedPostgres: hasEmbeddedPostgres() },
    ),
  );
  console.log('starting a service with an empty PostgreSQL, which takes some seconds …');
  const service = await startService({
    config,
    logger: createLogger('error'),
    migrations: readMigrations(),
    version: 'demo',
    onFatal: (error) => {
      throw error;
    },
  });
  // The server may have chosen another directory.
  const data = service.embedded?.directory ?? directory;
  try {
    console.log(
      `started a service at ${service.url}, on a database that is thrown away afterwards (${data})`,
    );
    await demo(service.url, service.createdKey ?? '');
    if (files.length === 0) await demoMovingIn(service.url, service.createdKey ?? '', legacy);
    console.log(
      '\nThe service and its users are thrown away now.\nNext: npm start, and in a second terminal: npx user-import inspect FILE',
    );
  } finally {
    await service.stop();
    for (const path of [data, directory]) await rm(path, { recursive: true, force: true });
  }
}

const { BASE_URL, API_KEY } = process.env;
try {
  if (BASE_URL === undefined) await demoOnOwnService();
  else await demo(BASE_URL, API_KEY ?? '');
} catch (error) {
  if (!interrupted.signal.aborted) throw error;
  process.exitCode = 130;
}
