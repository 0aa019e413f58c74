import { afterEach, beforeEach, expect, it } from 'vitest';
import { BulkPace } from '../../../src/imports/bulk-pace.ts';
import { type ImportHistory, rollBackImport } from '../../../src/imports/import-history.ts';
import type { Queryable } from '../../../src/postgres/client/connection.ts';
import type { Database } from '../../../src/postgres/client/database.ts';
import { createImportStore } from '../../../src/postgres/imports/create-import-store.ts';
import { createUserStore } from '../../../src/postgres/users/create-user-store.ts';
import { IS_CITUS } from '../../support/citus.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { findLoginWithHash } from '../../support/find-login-with-hash.ts';
import { labelledHash } from '../../support/labelled-hashes.ts';
import { lockWaits } from '../../support/lock-waits.ts';
import { userRows } from '../../support/user-tables.ts';
import {
  bookSignIn,
  connectedDatabase,
  email,
  googleLine,
  halves,
  importInChunks,
  linkedLine,
  numbers,
  passwordLine,
  rollBack,
} from './rollback-under-test.ts';

let database: TestDatabase;
/** The instance that rolls back. */
let other: Database;
beforeEach(async () => {
  database = await createTestDatabase();
  other = await connectedDatabase(database.uri);
});
afterEach(async () => {
  await other.close();
  await database.drop();
});

const isAnyoneWaiting = async () => (await lockWaits(database.db)) > 0;

/** Rolls back while `change` is made but not yet committed. */
async function rollBackBehind(importId: string, change: (client: Queryable) => Promise<unknown>) {
  let rollback: ReturnType<typeof rollBack> | undefined;
  await database.db.transaction(async (client) => {
    await change(client);
    rollback = rollBack(other, importId);
    await expect.poll(isAnyoneWaiting).toBe(true);
  });
  return rollback;
}

it('waits until a person is deleted from the journal, and does not restore what is gone', async () => {
  const { db } = database;
  await importInChunks(
    db,
    'before',
    numbers(0, 10).map((n) => passwordLine(n, 0)),
  );
  const before = await userRows(db);
  await importInChunks(
    db,
    'it',
    numbers(0, 10).map((n) => passwordLine(n, 1)),
  );
  const imported = await userRows(db);
  const key = `password_logins ${email(3)}`;
  const result = await rollBackBehind('it', (client) =>
    client.query(
      `update import_changes set changes = (
         select json_agg(change) from json_array_elements(changes) change where change ->> 1 <> $1)`,
      [before.get(key)?.userId],
    ),
  );
  expect(result).toMatchObject({ outcome: 'rolled-back', rollback: { hashesRestored: 9 } });
  expect(await userRows(db)).toEqual(new Map(before).set(key, imported.get(key) as never));
});

it('waits for a sign-in in progress, and then keeps the user', async () => {
  await importInChunks(database.db, 'it', numbers(0, 10).map(linkedLine));
  const result = await rollBackBehind('it', async (client) => {
    await client.query("update password_logins set last_sign_in_at = now() where email = 'user-3@b.c'");
    await client.query("update third_party_logins set last_sign_in_at = now() where email = '5@google.c'");
  });
  expect(result).toMatchObject({ outcome: 'rolled-back', rollback: { usersRemoved: 8, usersKept: 2 } });
  const rows = await userRows(database.db);
  expect([...rows.keys()].filter((key) => key.includes('_logins'))).toEqual([
    'password_logins user-3@b.c',
    'password_logins user-5@b.c',
    'third_party_logins google l-3',
    'third_party_logins google l-5',
  ]);
  expect(await halves(database.db)).toEqual([]);
});

it('waits for a sign-in before it restores a hash or an address', async () => {
  const before = (variant: number) => [
    ...numbers(0, 10).map((n) => passwordLine(n, variant)),
    ...numbers(0, 10).map((n) => googleLine(n, `${variant}.c`)),
  ];
  await importInChunks(database.db, 'before', before(0));
  await importInChunks(database.db, 'it', before(2));
  const imported = await userRows(database.db);
  const hash = await rollBackBehind('it', (client) =>
    client.query("update password_logins set last_sign_in_at = now() where email = 'user-3@b.c'"),
  );
  expect(hash).toMatchObject({ rollback: { hashesRestored: 9, hashesKept: 1, emailsRestored: 10 } });
  const key = 'password_logins user-3@b.c';
  expect((await userRows(database.db)).get(key)?.row.password_hash).toBe(
    imported.get(key)?.row.password_hash,
  );

  await importInChunks(database.db, 'more', before(4));
  const address = await rollBackBehind('more', (client) =>
    client.query("update third_party_logins set changed_at = now() where third_party_user_id = 'id-4'"),
  );
  expect(address).toMatchObject({ rollback: { hashesRestored: 10, emailsRestored: 9, emailsKept: 1 } });
  const gus = (await userRows(database.db)).get('third_party_logins google id-4');
  expect(gus?.row.email).toBe('4@4.c');
});

const lines = (from: number, to: number, variant: number) =>
  numbers(from, to).map((n) => passwordLine(n, variant));

// On Citus, steps keep changes of users waiting, so that they follow each other.
it.skipIf(IS_CITUS)('undoes two chunks at a time if they have changed different users', async () => {
  await importInChunks(database.db, 'before', lines(0, 4, 0));
  await importInChunks(database.db, 'it', lines(0, 4, 2), 2);
  const isFree = 'select from password_logins where email = $1 for no key update skip locked';
  let rollback: ReturnType<typeof rollBack> | undefined;
  await database.db.transaction(async (client) => {
    // The first step, which undoes the second chunk, waits for this login.
    await client.query('select from password_logins where email = $1 for no key update', [email(2)]);
    rollback = rollBack(other, 'it');
    await expect.poll(() => database.db.query(isFree, [email(0)])).toEqual([]);
  });
  expect(await rollback).toMatchObject({ rollback: { hashesRestored: 4, hashesKept: 0 } });
  expect(await hashes()).toEqual(lines(0, 4, 0).map(({ passwordHash }) => passwordHash));
});

it('undoes chunks that have changed the same user one after the other', async () => {
  await importInChunks(database.db, 'before', lines(0, 6, 0));
  await importInChunks(database.db, 'it', [...lines(0, 6, 2), ...lines(3, 6, 4), ...lines(0, 4, 6)], 3);
  expect(await rollBack(other, 'it')).toMatchObject({ rollback: { hashesRestored: 13, hashesKept: 0 } });
  expect(await hashes()).toEqual(lines(0, 6, 0).map(({ passwordHash }) => passwordHash));
});

it.skipIf(IS_CITUS)('undoes hardly anything in vain if it runs twice at once', async () => {
  await importInChunks(database.db, 'before', lines(0, 60, 0));
  await importInChunks(database.db, 'it', lines(0, 60, 2), 1);
  await database.db.query(`create sequence updates; create function count_updates() returns trigger language plpgsql as
    $$ begin perform nextval('updates'); return new; end $$;
    create trigger count_updates before update on password_logins for each row execute function count_updates()`);
  const undone = await Promise.all([rollBack(database.db, 'it'), rollBack(other, 'it')]);
  for (const one of undone) expect(one).toMatchObject({ rollback: { hashesRestored: 60, hashesKept: 0 } });
  const [row] = await database.db.query<{ updates: number }>(
    'select last_value::int as updates from updates',
  );
  // Each lets its second steps rest after one had to give way.
  expect(row?.updates).toBeLessThan(70);
});

async function hashes(): Promise<string[]> {
  const rows = await database.db.query<{ password_hash: string }>(
    'select password_hash from password_logins order by email',
  );
  return rows.map((row) => row.password_hash);
}

it('does not mistake a sign-in with the earlier hash for one with the hash of the import', async () => {
  const store = createUserStore(database.db);
  await importInChunks(database.db, 'before', [passwordLine(0, 0)]);
  const before = await findLoginWithHash(store, email(0));
  if (before === undefined) throw new Error('it was imported');
  await importInChunks(database.db, 'it', [passwordLine(0, 2)]);
  // This sign-in read the login before the import, and is recorded after it.
  expect(await store.recordSignIn(email(0), before)).toBeUndefined();
  expect(await rollBack(other, 'it')).toMatchObject({ rollback: { hashesRestored: 1, hashesKept: 0 } });
});

/** Processes numbers in order, a few at a time. */
async function inLanes(todo: number[], work: (n: number) => Promise<unknown>): Promise<void> {
  const lane = async () => {
    for (let n = todo.pop(); n !== undefined; n = todo.pop()) await work(n);
  };
  await Promise.all([lane(), lane(), lane()]);
}

it('removes exactly the users who have not signed in yet, each completely', async () => {
  const store = createUserStore(database.db);
  let kept = 0;
  for (let round = 0; round < 2; round += 1) {
    const users = numbers(round * 200, round * 200 + 200);
    await importInChunks(database.db, `it${round}`, users.map(linkedLine), 20);
    // From the other end, so that sign-ins and the rollback meet.
    const signIns = inLanes([...users], (n) => bookSignIn(store, email(n)));
    const result = await rollBack(other, `it${round}`);
    await signIns;
    const left = await database.db.query<{ has_signed_in: boolean }>(
      'select last_sign_in_at is not null as has_signed_in from password_logins',
    );
    expect(left.filter((login) => !login.has_signed_in)).toEqual([]);
    expect(result).toMatchObject({
      rollback: { usersRemoved: 200 - (left.length - kept), usersKept: left.length - kept },
    });
    kept = left.length;
    expect(await halves(database.db)).toEqual([]);
  }
});

it('never reverts a change that came after the import, however soon', async () => {
  const store = createUserStore(database.db);
  const hash = labelledHash('later');
  for (let round = 0; round < 2; round += 1) {
    const users = numbers(round * 200, round * 200 + 200);
    const before = users.slice(0, 100).map((n) => passwordLine(n, 0));
    await importInChunks(database.db, `before${round}`, before);
    const lines = users.map((n) => passwordLine(n, 2));
    await importInChunks(database.db, `it${round}`, lines, 20);
    const ids = new Map<string, string>();
    for (const { userId, row } of (await userRows(database.db)).values()) ids.set(String(row.email), userId);
    const later = users.filter((n) => n % 3 === 0);
    const removed = users.filter((n) => n % 3 === 1);
    const changes = Promise.all([
      inLanes([...later], (n) => store.importPasswordUser({ email: email(n), hash })),
      inLanes([...removed], (n) => store.removeUser(ids.get(email(n)) ?? '', 'user')),
    ]);
    expect(await rollBack(other, `it${round}`)).toMatchObject({ outcome: 'rolled-back' });
    await changes;
    for (const n of later) expect((await findLoginWithHash(store, email(n)))?.hash).toEqual(hash);
    for (const n of removed) expect(await store.findPasswordLogin(email(n))).toBeUndefined();
    expect(await halves(database.db)).toEqual([]);
  }
});

it('reports an unknown import that begins meanwhile, which can still be rolled back', async () => {
  const imports = createImportStore(other, other);
  let begun: Promise<void> | undefined;
  const begin = () => {
    begun ??= importInChunks(database.db, 'it', [passwordLine(1, 0)]);
    return begun;
  };
  const late: ImportHistory = {
    ...imports,
    async find(importId) {
      const found = await imports.find(importId);
      await begin();
      return found;
    },
    async beginRollback(importId) {
      const mayBegin = await imports.beginRollback(importId);
      await begin();
      return mayBegin;
    },
  };
  const outcome = await rollBackImport({ imports: late, pace: new BulkPace() }, 'it');
  expect(outcome).toEqual({ outcome: 'unknown-import' });
  expect(await rollBack(other, 'it')).toMatchObject({
    outcome: 'rolled-back',
    rollback: { usersRemoved: 1 },
  });
});
