/**
 * The service in its own process, for a load generator. Usage: `server.ts <variant> <postgres uri>`. Prints
 * its URL when it listens. Variants: `service`; `no-database`, the same app with a store that only answers;
 * `one-by-one`, one import statement for each request; `upgrade` and `no-upgrade`, the service with and
 * without upgrades of weak hashes.
 */
import { availableParallelism } from 'node:os';
import { v7 as uuidv7 } from 'uuid';
import { apiKeysOf } from '../src/config/api-keys.ts';
import { loadConfig } from '../src/config/load.ts';
import { createLogger } from '../src/lib/log.ts';
import { Database } from '../src/postgres/client/database.ts';
import { SingleImports } from '../src/postgres/users/import-logins.ts';
import { passwordUser } from '../src/postgres/users/user-row.ts';
import { composeService } from '../src/service/compose.ts';
import type { UserStore } from '../src/users/user-store.ts';
import { API_KEY, SIGNER_KEY } from './fixtures.ts';

const [variant, uri = ''] = process.argv.slice(2);
/** New hashes at a tenth of the default cost, so that ten thousand of them take half a minute. */
const CHEAP = { ARGON2_MEMORY_KB: '4096', ARGON2_ITERATIONS: '1' };
const SETTINGS: Record<string, Record<string, string>> = {
  upgrade: { ...CHEAP, PASSWORD_UPGRADE: 'weak' },
  'no-upgrade': { ...CHEAP, PASSWORD_UPGRADE: 'off' },
};
const loaded = loadConfig({
  env: {
    API_KEYS: API_KEY,
    POSTGRESQL_CONNECTION_URI: uri,
    EXTERNAL_PASSWORD_HASHING_SIGNER_KEY: SIGNER_KEY,
    LOG_LEVEL: process.env.LOG_LEVEL,
    ...SETTINGS[variant ?? ''],
  },
  readSecret: () => '',
  isOpenToAll: () => false,
  machine: {
    cores: availableParallelism(),
    memoryBytes: 4 * 1024 ** 3,
    threadPoolSize: Number(process.env.UV_THREADPOOL_SIZE ?? 4),
    embeddedPostgres: false,
  },
});
if (!loaded.ok) throw new Error(loaded.problems.join('\n'));
const { config } = loaded;

const db = new Database({
  uri,
  size: config.postgresql_connection_pool_size,
  timeoutMs: 30_000,
  onIdleError: () => {},
});
const variants: Record<string, (real: UserStore) => UserStore> = {
  service: (real) => real,
  upgrade: (real) => real,
  'no-upgrade': (real) => real,
  'no-database': (real) => ({
    ...real,
    importPasswordUser: async ({ email }) => ({
      user: passwordUser({ id: uuidv7(), email, verified: false, timeJoinedMs: Date.now() }),
      existed: false,
    }),
  }),
  'one-by-one': (real) => ({
    ...real,
    async importPasswordUser(login) {
      const [imported] = await new SingleImports(db).run([login]);
      if (imported === undefined) throw new Error('no answer');
      return imported;
    },
  }),
};
const store = variants[variant ?? ''];
if (store === undefined) throw new Error(`unknown variant ${variant}`);

const { app } = await composeService({
  config,
  logger: createLogger(config.log_level),
  version: 'bench',
  db,
  bulkDb: db,
  apiKeys: apiKeysOf(API_KEY),
  store,
});
process.stderr.write(`${await app.listen({ port: 0, host: '127.0.0.1' })}\n`);
