import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createUserStore } from '../../../src/postgres/users/create-user-store.ts';
import type { UserListing, UserSearch } from '../../../src/users/user-store.ts';
import { TESTED_ENGINES } from '../../support/citus.ts';
import { createTestDatabase } from '../../support/database.ts';
import { idOf, numbersOf } from '../../support/numbered-ids.ts';

/** Time joined by id. Five users joined in the same millisecond, which is a hard case for paging. */
const JOINED = new Map([
  [1, 100],
  [2, 200],
  [3, 200],
  [4, 200],
  [5, 200],
  [6, 200],
  [7, 50],
  [8, 300],
]);
const ASCENDING = [7, 1, 6, 5, 4, 3, 2, 8];
const DESCENDING = [8, 6, 5, 4, 3, 2, 1, 7];

const database = await createTestDatabase();
const store = createUserStore(database.db);
for (const [n, joined] of JOINED) {
  await database.db.query('insert into users (user_id, time_joined_ms) values ($1, $2)', [idOf(n), joined]);
  const email = n === 3 ? 'a_b%c\\d@b.c' : `user-${n}@b.c`;
  if (n % 2 === 1) {
    await database.db.query(
      `insert into password_logins
         (email, user_id, recipe_user_id, time_joined_ms, password_hash, hash_algorithm, hash_set_by)
       values ($1, $2, $2, $3, 'x', 'bcrypt', 'import')`,
      [email, idOf(n), joined],
    );
  } else {
    await database.db.query(
      `insert into third_party_logins
         (third_party_id, third_party_user_id, email, user_id, recipe_user_id, time_joined_ms)
       values ('google', $2::text, $1, $2::text::uuid, $2::text::uuid, $3)`,
      [email, idOf(n), joined],
    );
  }
}
afterAll(() => database.drop());

const list = async (listing: Partial<UserListing>) =>
  numbersOf((await store.listUsers({ order: 'asc', limit: 100, ...listing })).users);

describe.each(TESTED_ENGINES)('statements for $name', (engine) => {
  beforeAll(() => {
    database.db.engine = engine;
  });

  it.each([
    ['asc', ASCENDING],
    ['desc', DESCENDING],
  ] as const)('lists each user once in order %s, for any size of pages', async (order, expected) => {
    for (let limit = 1; limit <= 9; limit += 1) {
      const seen: number[] = [];
      let start: UserListing['start'] | undefined;
      do {
        const { users, next } = await store.listUsers({ order, limit, ...(start && { start }) });
        expect(users.length).toBeLessThanOrEqual(limit);
        seen.push(...numbersOf(users));
        start = next;
      } while (start !== undefined);
      expect(seen).toEqual(expected);
    }
  });

  it.each([
    ['asc', [4, 3, 2, 8]],
    ['desc', [4, 3, 2, 1, 7]],
  ] as const)('starts inside a tie in order %s', async (order, expected) => {
    expect(await list({ order, start: { timeJoinedMs: 200, userId: idOf(4) } })).toEqual(expected);
  });

  it('continues after the position of a user who was removed meanwhile', async () => {
    expect(await list({ start: { timeJoinedMs: 150, userId: idOf(9) } })).toEqual([6, 5, 4, 3, 2, 8]);
    expect(await list({ order: 'desc', start: { timeJoinedMs: 150, userId: idOf(9) } })).toEqual([1, 7]);
  });

  it('lists and counts by kind of login', async () => {
    expect(await list({ recipeIds: ['emailpassword'] })).toEqual([7, 1, 5, 3]);
    expect(await list({ recipeIds: ['thirdparty'], order: 'desc' })).toEqual([8, 6, 4, 2]);
    expect(await list({ recipeIds: ['emailpassword', 'thirdparty'] })).toEqual(ASCENDING);
    expect(await list({ recipeIds: [] })).toEqual([]);
    expect(await store.countUsers({ recipeIds: ['emailpassword'] })).toBe(4);
    expect(await store.countUsers({ recipeIds: [] })).toBe(0);
    expect(await store.countUsers({})).toBe(8);
    expect(await store.countUsers({ recipeIds: ['thirdparty', 'emailpassword'] })).toBe(8);
  });

  const found = async (search: Partial<UserSearch>) =>
    numbersOf((await store.searchUsers({ order: 'asc', limit: 100, ...search })).users);

  it('finds users by the beginning of an address, in which wildcards are ordinary characters', async () => {
    expect(await found({ emails: ['user-'] })).toEqual([7, 1, 6, 5, 4, 2, 8]);
    expect(await found({ emails: ['user-'], order: 'desc' })).toEqual([8, 6, 5, 4, 2, 1, 7]);
    expect(await found({ emails: ['user-4@b.c'] })).toEqual([4]);
    expect(await found({ emails: ['user-4@', 'nobody', 'user-5', 'user-5@b'] })).toEqual([5, 4]);
    expect(await found({ emails: ['ser'] })).toEqual([]);
    for (const prefix of ['a_b%c\\d', 'a_', 'a_b%', 'a_b%c\\'])
      expect(await found({ emails: [prefix] })).toEqual([3]);
    for (const prefix of ['%', '_', 'a%b', 'user_', '\\'])
      expect(await found({ emails: [prefix] })).toEqual([]);
  });

  it('finds users by provider, whose login must have the address, too', async () => {
    expect(await found({ providers: ['goo'] })).toEqual([6, 4, 2, 8]);
    expect(await found({ providers: ['git', 'google'], order: 'desc' })).toEqual([8, 6, 4, 2]);
    for (const provider of ['oogle', 'g%', 'googl_', 'Google'])
      expect(await found({ providers: [provider] })).toEqual([]);
    expect(await found({ emails: ['user-4', 'user-5'], providers: ['google'] })).toEqual([4]);
    expect(await found({ emails: ['user-5'], providers: ['google'] })).toEqual([]);
  });

  it('finds nobody by text that Postgres cannot store', async () => {
    expect(await found({ emails: ['a\0'] })).toEqual([]);
    expect(await found({ providers: ['g\0'] })).toEqual([]);
    expect(await found({ emails: ['user'], providers: ['g\0'] })).toEqual([]);
    expect(await found({ emails: ['a\0', 'user-4'], providers: ['g\0', 'g'] })).toEqual([4]);
  });

  it('finds at most as many users as are asked for, and tells that there are more', async () => {
    const { users, next } = await store.searchUsers({ emails: ['user-'], order: 'asc', limit: 3 });
    expect([users.length, next !== undefined]).toEqual([3, true]);
    const all = await store.searchUsers({ emails: ['user-'], order: 'asc', limit: 7 });
    expect([all.users.length, all.next]).toEqual([7, undefined]);
  });
});
