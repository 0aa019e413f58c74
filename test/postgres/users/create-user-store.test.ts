import { expect, it, onTestFinished } from 'vitest';
import { Database } from '../../../src/postgres/client/database.ts';
import { createUserStore } from '../../../src/postgres/users/create-user-store.ts';
import { IS_CITUS } from '../../support/citus.ts';
import { createTestDatabase, useTestDatabase } from '../../support/database.ts';
import { findLoginWithHash } from '../../support/find-login-with-hash.ts';
import { labelledHash } from '../../support/labelled-hashes.ts';
import { lockWaits } from '../../support/lock-waits.ts';
import { describeUserStore } from '../store-suite/describe-user-store.ts';

/** A database that records each statement of the store. */
class WatchedDatabase extends Database {
  readonly statements: string[] = [];
  override query<Row extends Record<string, unknown>>(
    text: string,
    values?: readonly unknown[],
  ): Promise<Row[]> {
    this.statements.push(text);
    return super.query<Row>(text, values);
  }
}

describeUserStore('the store', async () => {
  const { db, drop } = await createTestDatabase();
  return { db, close: drop };
});

it('writes imports that arrive together by COPY, without any other statement', async () => {
  const { uri, db: admin } = await useTestDatabase();
  const db = new WatchedDatabase({ uri, size: 4, timeoutMs: 10_000, onIdleError: () => {} });
  db.engine = admin.engine;
  const store = createUserStore(db);
  await Promise.all(
    Array.from({ length: 400 }, (_, index) =>
      store.importPasswordUser({ email: `user-${index}@b.c`, hash: labelledHash('x') }),
    ),
  );
  expect(db.statements).toEqual([]);
  expect(await store.countUsers({})).toBe(400);
  await db.close();
});

/** A store with some users, and their logins as a sign-in has read them. */
async function withUsers(count: number) {
  const { uri, db: admin } = await useTestDatabase();
  const db = new WatchedDatabase({ uri, size: 4, timeoutMs: 10_000, onIdleError: () => {} });
  onTestFinished(() => db.close());
  db.engine = admin.engine;
  const store = createUserStore(db);
  const emails = Array.from({ length: count }, (_, index) => `user-${index}@b.c`);
  await Promise.all(emails.map((email) => store.importPasswordUser({ email, hash: labelledHash('x') })));
  db.statements.length = 0;
  const logins = await Promise.all(
    emails.map(async (email) => {
      const login = await findLoginWithHash(store, email);
      if (login === undefined) throw new Error('there is no login');
      return { email, recipeUserId: login.recipeUserId, hash: login.hash };
    }),
  );
  return { admin, db, store, logins };
}

it.skipIf(IS_CITUS)(
  'reads and records sign-ins that arrive together in two statements, each for itself',
  async () => {
    const { db, store, logins } = await withUsers(300);
    const wrong = { ...logins[7], hash: labelledHash('other') };
    await store.setDisabled(logins[8]?.recipeUserId ?? '', true);
    const sent = logins.with(7, wrong as (typeof logins)[number]);
    db.statements.splice(1);
    const users = await Promise.all(
      sent.map(({ email, hash, recipeUserId }) => store.recordSignIn(email, { hash, recipeUserId })),
    );
    // The two that are refused are tried alone, in case that their logins were locked.
    expect(db.statements).toHaveLength(4);
    expect(users.map((user) => user?.id)).toEqual(
      logins.map(({ recipeUserId }, index) => (index === 7 || index === 8 ? undefined : recipeUserId)),
    );
    const again = await Promise.all(logins.map(({ email }) => store.findPasswordLogin(email)));
    expect(
      again.map((login) => login !== undefined && 'lastSignInMs' in login && login.lastSignInMs),
    ).toEqual(users.map((user) => (user === undefined ? undefined : expect.any(Number))));
  },
);

it('lets nobody wait for a lock on the login of somebody else', async () => {
  const { admin, store, logins } = await withUsers(20);
  const signIn = ({ email, ...login }: (typeof logins)[number]) => store.recordSignIn(email, login);
  let locked: Promise<unknown> | undefined;
  await admin.transaction(async (holder) => {
    await holder.query("update password_logins set linked = linked where email = 'user-3@b.c'");
    const all = logins.map(signIn);
    [locked] = all.splice(3, 1);
    for (const user of await Promise.all(all)) expect(user).toBeDefined();
    await expect.poll(() => lockWaits(admin)).toBe(1);
  });
  expect(await locked).toMatchObject({ id: logins[3]?.recipeUserId });
});

it('fails all imports of a batch with STORAGE_UNAVAILABLE if its connection breaks, and writes none', async () => {
  const { uri, db: admin } = await useTestDatabase();
  const db = new Database({ uri, size: 4, timeoutMs: 10_000, onIdleError: () => {} });
  db.engine = admin.engine;
  const store = createUserStore(db);
  const outcomes = await admin.transaction(async (client) => {
    await client.query('lock table password_logins in exclusive mode');
    const calls = Array.from({ length: 50 }, (_, index) =>
      store.importPasswordUser({ email: `user-${index}@b.c`, hash: labelledHash('x') }),
    );
    const settled = Promise.allSettled(calls);
    let terminated: unknown[] = [];
    while (terminated.length === 0) {
      terminated = await client.query(
        `select pg_terminate_backend(pid) from pg_locks
         where not granted and relation = 'password_logins'::regclass
           and database = (select oid from pg_database where datname = current_database())`,
      );
    }
    return settled;
  });
  expect(outcomes).toEqual(
    Array(50).fill({ status: 'rejected', reason: expect.objectContaining({ code: 'STORAGE_UNAVAILABLE' }) }),
  );
  expect(await store.countUsers({})).toBe(0);
  expect(await store.importPasswordUser({ email: 'user-0@b.c', hash: labelledHash('x') })).toMatchObject({
    existed: false,
  });
  await db.close();
});
