import type { InjectOptions } from 'fastify';
import { afterAll, onTestFinished, TestRunner } from 'vitest';
import { apiKeysOf, RIGHTS } from '../../src/config/api-keys.ts';
import { loadConfig } from '../../src/config/load.ts';
import type { Config } from '../../src/config/schema.ts';
import type { HandOverBounds } from '../../src/hand-over/hand-over-worker.ts';
import { buildPasswords } from '../../src/hashing/build-passwords.ts';
import type { Passwords } from '../../src/hashing/passwords.ts';
import { HOOKS } from '../../src/hooks/moves.ts';
import type { App, Front, Readiness } from '../../src/http/context.ts';
import type { Poller } from '../../src/lib/async/until.ts';
import { createLogger } from '../../src/lib/log.ts';
import type { PasswordUpgrades } from '../../src/passwords/upgrade-password.ts';
import { composeService } from '../../src/service/compose.ts';
import type { UserStore } from '../../src/users/user-store.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';
import { FACTORS_SECRET } from './factors.ts';
import './compiled-schemas.ts';
import './documented-errors.ts';

export const API_KEY = 'test-key-0123456789-abcdef';
export const SIGNER_KEY =
  'jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==';

export interface TestAppOptions {
  config?: Partial<Config>;
  /** Empty if no signer key is configured. */
  signerKey?: string;
  database?: TestDatabase;
  store?: (real: UserStore) => UserStore;
  readiness?: Readiness;
  now?: () => number;
  handOverBounds?: Partial<HandOverBounds>;
  placeholderCost?: number;
  /** Staged users are not imported until the test calls `staged`. */
  stagedWaits?: boolean;
}

interface MethodBody {
  tenantIds: string[];
  recipeUserId: string;
  verified: boolean;
  timeJoined: number;
  recipeId: string;
  email: string;
  thirdParty?: { id: string; userId: string };
}

export interface UserBody {
  id: string;
  isPrimaryUser: boolean;
  timeJoined: number;
  emails: string[];
  thirdParty: { id: string; userId: string }[];
  webauthn?: unknown;
  loginMethods: [MethodBody, ...MethodBody[]];
}

/**
 * Members of all response bodies. A member that a response lacks is undefined, so that the test that reads it
 * fails.
 */
export interface AnswerBody {
  status: string;
  statusCode: number;
  code: string;
  message: string;
  user: UserBody;
  users: UserBody[];
  count: number;
  asOf?: number;
  /** Groups of a census of hashes. */
  hashes?: unknown[];
  recipeUserId: string;
  didUserAlreadyExist: boolean;
  createdNewUser: boolean;
  nextPaginationToken?: string;
}

export interface Answer {
  status: number;
  /** Parsed body, or an empty object if the response is not JSON. */
  body: AnswerBody;
  text: string;
  headers: Record<string, unknown>;
}

export interface TestApp {
  app: App;
  store: UserStore;
  database: TestDatabase;
  passwords: Passwords;
  upgrades: PasswordUpgrades;
  /** Runs when users are staged, and does not poll. */
  staged: Poller;
  /** Set if the configuration names a core. */
  front: Front | undefined;
  /** Returns everything that was logged. */
  log(): string;
  /**
   * Sends a request with the API key, and `body` as JSON. `headers` override the defaults; undefined removes
   * a header.
   */
  send(
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    url: string,
    body?: unknown,
    headers?: Record<string, string | undefined>,
  ): Promise<Answer>;
  close(): Promise<void>;
}

/** Returns the default configuration, with cheap hashing. */
export function testConfig(changes: Partial<Config> = {}, signerKey = SIGNER_KEY): Config {
  const result = loadConfig({
    env: {
      API_KEYS: API_KEY,
      POSTGRESQL_CONNECTION_URI: 'postgresql://unused',
      EXTERNAL_PASSWORD_HASHING_SIGNER_KEY: signerKey,
    },
    readSecret: () => '',
    isOpenToAll: () => false,
    machine: { cores: 2, memoryBytes: 4 * 1024 ** 3, threadPoolSize: 4, embeddedPostgres: true },
  });
  if (!result.ok) throw new Error(result.problems.join('; '));
  return {
    ...result.config,
    factors_secret: FACTORS_SECRET,
    password_hooks: [...HOOKS],
    // A busy machine may take seconds for an answer.
    password_hooks_timeout_ms: 60_000,
    // The short form of keys lacks the right to export.
    api_keys: [{ name: 'key-1', key: API_KEY, allow: [...RIGHTS] }],
    argon2_memory_kb: 64,
    argon2_iterations: 1,
    ...changes,
  };
}

/** Returns the hashing that `createTestApp` builds. */
export const testPasswords = (config: Partial<Config> = {}, signerKey = SIGNER_KEY): Passwords =>
  buildPasswords(testConfig(config, signerKey), API_KEY);

/** Builds the service for a test, or for all tests of a file, and closes it after them. A given database stays. */
export async function useTestApp(options: TestAppOptions = {}): Promise<TestApp> {
  const service = await createTestApp(options);
  const close = options.database === undefined ? service.close : () => service.app.close();
  if (TestRunner.getCurrentTest() === undefined) afterAll(close);
  else onTestFinished(close);
  return service;
}

/** Builds the service on a database of its own. It has no socket. */
export async function createTestApp(options: TestAppOptions = {}): Promise<TestApp> {
  const config = testConfig(options.config, options.signerKey);
  const database = options.database ?? (await createTestDatabase());
  const { db } = database;
  const { readiness, now, stagedWaits } = options;
  const lines: string[] = [];
  const { app, store, passwords, upgrades, stagedWorker, census, front } = await composeService({
    config,
    logger: createLogger('trace', { write: (line) => void lines.push(line) }),
    version: '0.0.0-test',
    db,
    bulkDb: db,
    apiKeys: apiKeysOf(config.api_keys ?? ''),
    readiness,
    now,
    store: options.store,
    stagedWaits,
    handOverBounds: options.handOverBounds,
    placeholderCost: options.placeholderCost,
  });
  return {
    app,
    store,
    database,
    passwords,
    upgrades,
    staged: stagedWorker,
    front,
    log: () => lines.join(''),
    async send(method, url, body, headers = {}) {
      const all = {
        'api-key': API_KEY,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      };
      const request: InjectOptions = {
        method,
        url,
        headers: Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as Record<
          string,
          string
        >,
        ...(body !== undefined && {
          payload: typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body),
        }),
      };
      const response = await app.inject(request);
      const isJson = String(response.headers['content-type']).startsWith('application/json');
      return {
        status: response.statusCode,
        body: (isJson ? response.json() : {}) as AnswerBody,
        text: response.body,
        headers: response.headers,
      };
    },
    async close() {
      await app.close();
      await front?.worker.stop();
      await front?.connection.close();
      await upgrades.stop();
      await stagedWorker.stop();
      await census.stop();
      await database.drop();
    },
  };
}
