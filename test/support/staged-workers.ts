import { onTestFinished } from 'vitest';
import type { Config } from '../../src/config/schema.ts';
import type { Passwords } from '../../src/hashing/passwords.ts';
import { BulkPace } from '../../src/imports/bulk-pace.ts';
import { createStagedWorker } from '../../src/imports/staged/import-new-users.ts';
import { stageUsers } from '../../src/imports/staged/stage-users.ts';
import type { StagedStore } from '../../src/imports/staged/staged-store.ts';
import type { Poller } from '../../src/lib/async/until.ts';
import { Database } from '../../src/postgres/client/database.ts';
import { createStagedStore } from '../../src/postgres/staged/create-staged-store.ts';
import { testPasswords } from './app.ts';
import type { TestDatabase } from './database.ts';
import { testVault } from './factors.ts';
import { WITH_ALL_TABLES } from './with-all-tables.ts';

export interface WorkerUnderTest {
  worker: Poller;
  staged: StagedStore;
  /** Number of users that each batch created. */
  batches: number[];
  errors: unknown[];
}

export interface WorkerOptions {
  config?: Partial<Config>;
  signerKey?: string;
  passwords?: Passwords;
  /** Database to use instead of a new one. The caller closes it. */
  db?: Database;
  store?: (real: StagedStore) => StagedStore;
}

/** Creates a worker as in another instance, with its own connections. */
export function useWorker(database: TestDatabase, options: WorkerOptions = {}): WorkerUnderTest {
  const own = new Database({ uri: database.uri, size: 2, timeoutMs: 30_000, onIdleError: () => {} });
  const db = options.db ?? own;
  db.engine = database.db.engine;
  const real = createStagedStore(db, db);
  const staged = options.store?.(real) ?? real;
  const [batches, errors]: [number[], unknown[]] = [[], []];
  const worker = createStagedWorker({
    pace: new BulkPace(),
    staged: {
      ...staged,
      async processNext(work) {
        const batch = await staged.processNext(work);
        if (batch && 'decisions' in batch) batches.push(batch.decisions.created.length);
        return batch;
      },
    },
    passwords: options.passwords ?? testPasswords(options.config, options.signerKey),
    vault: testVault(),
    now: Date.now,
    pollMs: 20,
    onError: (error) => errors.push(error),
  });
  onTestFinished(async () => {
    await worker.stop();
    await own.close();
  });
  return { worker, staged, batches, errors };
}

/** Stages users without importing them. */
export async function stageOn({ db }: TestDatabase, users: readonly unknown[]): Promise<void> {
  const passwords = testPasswords();
  const deps = {
    staged: createStagedStore(db, db),
    passwords,
    vault: testVault(),
    now: Date.now,
    maxUserBytes: 65_536,
  };
  const staged = await stageUsers(deps, users);
  if ('problems' in staged) throw new Error(JSON.stringify(staged.problems));
}

/** Returns the number of users, the number of different addresses, and the staged users by status. */
export async function stateOf({ db }: TestDatabase) {
  const [row] = await db.query<{ users: number; emails: number }>(
    `${WITH_ALL_TABLES}
     select (select count(*)::int from users) as users,
       (select count(distinct email)::int from password_logins join users using (user_id)) as emails`,
  );
  const staged = await db.query<{ status: string; count: number }>(
    'select status, count(*)::int as count from staged_users group by status',
  );
  return { ...row, staged: Object.fromEntries(staged.map(({ status, count }) => [status, count])) };
}
