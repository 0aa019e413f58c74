/**
 * The service as a process of its own, for a load generator: `server.ts <variant> <postgres uri>`. Writes its URL when it
 * listens. Variants: `service`; `no-database`, the same app over a store that only answers; `one-by-one`, an import
 * statement for each request.
 */
import { availableParallelism } from 'node:os';
import { v7 as uuidv7 } from 'uuid';
import { loadConfig } from '../src/config/load.ts';
import { buildPasswords } from '../src/hashing/build-passwords.ts';
import { buildApp } from '../src/http/app.ts';
import { BulkPace } from '../src/imports/bulk-pace.ts';
import { createLogger } from '../src/lib/log.ts';
import { Database } from '../src/postgres/client/database.ts';
import { createImportStore } from '../src/postgres/imports/create-import-store.ts';
import { createStagedStore } from '../src/postgres/staged/create-staged-store.ts';
import { createUserStore } from '../src/postgres/users/create-user-store.ts';
import { importLogins } from '../src/postgres/users/import-logins.ts';
import { passwordUser } from '../src/postgres/users/sole-login.ts';
import type { UserStore } from '../src/users/user-store.ts';
import { API_KEY, SIGNER_KEY } from './fixtures.ts';

const [variant, uri = ''] = process.argv.slice(2);
const loaded = loadConfig({
  env: {
    API_KEYS: API_KEY,
    POSTGRESQL_CONNECTION_URI: uri,
    EXTERNAL_PASSWORD_HASHING_SIGNER_KEY: SIGNER_KEY,
    LOG_LEVEL: process.env.LOG_LEVEL,
  },
  readSecret: () => '',
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
const store = createUserStore(db);
const stores: Record<string, UserStore> = {
  service: store,
  'no-database': {
    ...store,
    importPasswordUser: async ({ email }) => ({
      user: passwordUser({ id: uuidv7(), email, verified: false, timeJoinedMs: Date.now() }),
      existed: false,
    }),
  },
  'one-by-one': {
    ...store,
    async importPasswordUser(login) {
      const [imported] = await importLogins(db, [login]);
      if (imported === undefined) throw new Error('no answer');
      return imported;
    },
  },
};
const chosen = stores[variant ?? ''];
if (chosen === undefined) throw new Error(`unknown variant ${variant}`);

const app = await buildApp({
  store: chosen,
  passwords: buildPasswords(config, API_KEY),
  now: Date.now,
  imports: createImportStore(db, db),
  staged: createStagedStore(db, db),
  pace: new BulkPace(),
  wakeStagedWorker: () => {},
  bulk: { maxLineBytes: config.bulk_import_max_line_bytes, maxStreams: 1, idleMs: config.request_timeout_ms },
  apiKeys: API_KEY,
  logger: createLogger(config.log_level),
  version: 'bench',
  readiness: async () => undefined,
  bodyLimitBytes: config.body_limit_bytes,
  requestTimeoutMs: config.request_timeout_ms,
});
process.stderr.write(`${await app.listen({ port: 0, host: '127.0.0.1' })}\n`);
