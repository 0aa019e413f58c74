import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import type { ChunkTransaction } from '../../../src/imports/import-store.ts';
import type { LoginKeys } from '../../../src/imports/resolve/login-keys.ts';
import type { WriteSet } from '../../../src/imports/resolve/write-set.ts';
import { createImportStore } from '../../../src/postgres/imports/create-import-store.ts';
import { identityKey } from '../../../src/users/user.ts';
import { createTestDatabase } from '../../support/database.ts';
import { labelledHash } from '../../support/labelled-hashes.ts';

/** Users of each of two chunks. With so many, each shard on Citus has some of both. */
const USERS = 40;
const IMPORT_ID = 'it';

const database = await createTestDatabase();
afterAll(() => database.drop());

const idOf = (chunk: number, user: number) =>
  `01890000-0000-7000-8000-${String(chunk * USERS + user).padStart(12, '0')}`;
const emailOf = (chunk: number, user: number) => `known-${chunk}-${user}@b.c`;
const identityOf = (chunk: number, user: number) => ({ id: 'google', userId: `known-${chunk}-${user}` });
const users = (chunk: number) =>
  Array.from({ length: USERS }, (_, user) => ({
    ids: { userId: idOf(chunk, user), recipeUserId: idOf(chunk, user) },
    email: emailOf(chunk, user),
    identity: identityOf(chunk, user),
  }));

const keysOf = (chunk: number): LoginKeys => ({
  emails: new Set(users(chunk).map(({ email }) => email)),
  identities: new Map(users(chunk).map(({ identity }) => [identityKey(identity), identity])),
  externalIds: new Set(),
});

/** Returns every kind of change that a chunk may make to known users. */
const changesOf = (chunk: number, label: string): WriteSet => ({
  ids: { first: idOf(chunk, 0), last: idOf(chunk, 0) } as WriteSet['ids'],
  outcomes: [],
  ...{ users: [], passwordLogins: [], thirdPartyLogins: [], aliases: [] },
  newCredentials: new Map(
    users(chunk).map(({ email, ids }) => [email, { ...ids, credential: { hash: labelledHash(label) } }]),
  ),
  newEmails: new Map(
    users(chunk).map(({ identity, ids, email }) => [
      identityKey(identity),
      { ...ids, identity, email: `${label}-${email}`, verifiedEmails: [`${label}-${email}`] },
    ]),
  ),
  newStates: new Map(
    users(chunk).map(({ ids }) => [
      ids.userId,
      { disabled: true, before: { disabled: false, isByCall: false } },
    ]),
  ),
  newFactors: new Map(),
  changes: [],
  hashChanges: users(chunk).map(({ ids }) => ({ recipeUserId: ids.recipeUserId, algorithm: 'bcrypt' })),
  algorithms: {},
  hashes: {},
});

beforeEach(async () => {
  const { db } = database;
  await db.query('delete from password_logins');
  await db.query('delete from third_party_logins');
  const all = [0, 1].flatMap(users);
  const ids = all.map(({ ids }) => ids.userId);
  const emails = all.map(({ email }) => email);
  await db.query(
    `insert into password_logins (email, user_id, recipe_user_id, time_joined_ms, password_hash, hash_algorithm)
     select email, id, id, 0, 'before', 'bcrypt' from unnest($1::text[], $2::uuid[]) as t (email, id)`,
    [emails, ids],
  );
  await db.query(
    `insert into third_party_logins (third_party_id, third_party_user_id, email, user_id, recipe_user_id, time_joined_ms)
     select 'google', name, email, id, id, 0 from unnest($1::text[], $2::text[], $3::uuid[]) as t (email, name, id)`,
    [emails, all.map(({ identity }) => identity.userId), ids],
  );
});

/**
 * Runs the work of a chunk in a transaction that does not wait for locks, as chunks do that are not next to
 * commit.
 */
const inChunk = <T>(work: (transaction: ChunkTransaction) => Promise<T>): Promise<T> =>
  createImportStore(database.db, database.db).session((session) =>
    session.transaction(work, { patient: false }),
  );

async function write(transaction: ChunkTransaction, chunk: number): Promise<void> {
  const existing = await transaction.lockExisting(keysOf(chunk));
  expect([existing.passwords.size, existing.thirdParties.size]).toEqual([USERS, USERS]);
  // The second change also looks at what the first one stored.
  for (const label of ['first', 'second'])
    await transaction.apply(IMPORT_ID, changesOf(chunk, label), { inKeyOrder: true });
}

describe('a chunk of known users', () => {
  it('is written while the chunk before it holds other users in the same shards', async () => {
    await inChunk(async (first) => {
      await write(first, 0);
      await inChunk((second) => write(second, 1));
    });
    const [row] = await database.db.query<Record<string, number>>(
      `select count(*)::int as logins, count(*) filter (where password_hash = $1)::int as written,
         count(distinct hash_set_at)::int as times from password_logins`,
      [labelledHash('second').encoded],
    );
    expect(row).toMatchObject({ logins: 2 * USERS, written: 2 * USERS });
    const kept = await database.db.query<{ password_hash: string }>(
      'select distinct password_hash from replaced_hashes',
    );
    expect(kept).toEqual([{ password_hash: 'before' }]);
  });

  it('waits if the chunk before it holds some of its users', async () => {
    await inChunk(async (first) => {
      await first.lockExisting(keysOf(0));
      const others = inChunk((second) => second.lockExisting(keysOf(0)));
      await expect(others).rejects.toMatchObject({ code: 'OVERLOADED' });
    });
  });
});
