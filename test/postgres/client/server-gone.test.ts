import { once } from 'node:events';
import { chmod, mkdtemp, realpath, rm } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '../../../src/embedded-postgres/start-embedded-postgres.ts';
import { Database } from '../../../src/postgres/client/database.ts';
import { isUnavailable } from '../../../src/postgres/client/pg-error.ts';
import { applyMigrations, readMigrations } from '../../../src/postgres/migrate/apply-migrations.ts';
import { createUserStore } from '../../../src/postgres/users/create-user-store.ts';
import { labelledHash } from '../../support/labelled-hashes.ts';
import { postmasterPid } from '../../support/postmaster-pid.ts';
import { fastDirectory } from '../../support/scratch.ts';

let root: string;
let postgres: EmbeddedPostgres;
beforeEach(async () => {
  root = await realpath(await mkdtemp(join(fastDirectory(), 'uic-server-gone-')));
  await chmod(root, 0o755);
  postgres = await startEmbeddedPostgres({ directory: join(root, 'postgres'), settings: { fsync: 'off' } });
});
afterEach(async () => {
  await postgres.stop();
  await rm(root, { recursive: true });
});

it('fails all imports in flight with STORAGE_UNAVAILABLE when the server is killed', async () => {
  const db = new Database({ uri: postgres.uri, size: 4, timeoutMs: 10_000, onIdleError: () => {} });
  await applyMigrations(db, readMigrations());
  const store = createUserStore(db);
  const blocker = new pg.Client(postgres.uri);
  blocker.on('error', () => {});
  await blocker.connect();
  await blocker.query('begin');
  await blocker.query('lock table password_logins in exclusive mode');
  const { rows } = await blocker.query<{ pid: number }>('select pg_backend_pid() as pid');
  const blockerPid = rows[0]?.pid ?? Number.NaN;

  const importing = Promise.allSettled(
    Array.from({ length: 700 }, (_, index) =>
      store.importPasswordUser({ email: `user-${index}@b.c`, hash: labelledHash('x') }),
    ),
  );
  const changing = store
    .removeUser('nobody', 'user')
    .then(() => store.createPasswordUser({ email: 'a@b.c', hash: labelledHash('x') }));
  const changed = changing.then(
    () => 'fulfilled',
    (error) => error.code,
  );
  const postmaster = await postmasterPid(postgres.directory);
  // The blocker must not release its lock before the waiting sessions are gone. Otherwise one of them would
  // get it, and could still commit.
  process.kill(blockerPid, 'SIGSTOP');
  process.kill(postmaster, 'SIGKILL');
  for (const outcome of await importing) {
    expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'STORAGE_UNAVAILABLE' } });
  }
  expect(await changed).toBe('STORAGE_UNAVAILABLE');
  process.kill(blockerPid, 'SIGKILL');
  await expect(store.ping()).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
  await db.close();
});

it('treats a server that is shutting down as unavailable', async () => {
  const session = new pg.Client(postgres.uri);
  session.on('error', () => {});
  await session.connect();
  const ended = once(session, 'end').catch(() => {});
  // A smart shutdown waits for this session, and accepts no new ones.
  process.kill(await postmasterPid(postgres.directory), 'SIGTERM');
  let refusal: unknown;
  while (refusal === undefined) {
    const late = new pg.Client(postgres.uri);
    late.on('error', () => {});
    refusal = await late.connect().then(
      () => late.end(),
      (error: unknown) => error,
    );
  }
  expect(refusal).toMatchObject({ code: '57P03' });
  expect(isUnavailable(refusal)).toBe(true);

  const working = session.query('select pg_sleep(60)').catch((error: unknown) => error);
  await postgres.stop();
  expect(await working).toMatchObject({ code: '57P01' });
  expect(isUnavailable(await working)).toBe(true);
  await ended;
});
