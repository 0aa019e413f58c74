import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createUserStore } from '../../../../src/postgres/users/create-user-store.ts';
import type { UserListing, UserStore } from '../../../../src/users/user-store.ts';
import { TESTED_ENGINES } from '../../../support/citus.ts';
import { createTestDatabase, type TestDatabase } from '../../../support/database.ts';
import { idOf, numbersOf } from '../../../support/numbered-ids.ts';

/** One more than a page may have. */
const MANY = 5001;

let database: TestDatabase;
let store: UserStore;
const run = (text: string) => database.db.query(text);

/**
 * Users 1 and 4 have one login each, 2 has thousands of logins, 3 has two and thousands of external ids, and
 * 5 has none. 6 to 11 have one login and 1,199 external ids each, so that a page has four of them.
 */
beforeAll(async () => {
  database = await createTestDatabase();
  store = createUserStore(database.db);
  const columns = '(email, user_id, recipe_user_id, time_joined_ms, linked, password_hash, hash_algorithm)';
  for (const n of [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11])
    await run(`insert into users (user_id, time_joined_ms) values ('${idOf(n)}', ${n})`);
  for (const n of [1, 3, 6, 7, 8, 9, 10, 11])
    await run(
      `insert into password_logins ${columns}
       values ('${n}@b.c', '${idOf(n)}', '${idOf(n)}', ${n}, ${n > 1}, 'x', 'bcrypt')`,
    );
  for (const n of [3, 4])
    await run(
      `insert into third_party_logins
         (third_party_id, third_party_user_id, email, user_id, recipe_user_id, time_joined_ms, linked)
       values ('google', '${n}', 'g${n}@b.c', '${idOf(n)}', '${idOf(n)}', ${n}, ${n === 3})`,
    );
  await run(
    `insert into password_logins ${columns}
     select 'many-' || n || '@b.c', '${idOf(2)}', gen_random_uuid(), n, true, 'x', 'bcrypt' from generate_series(1, ${MANY}) n`,
  );
  await run(
    `insert into user_aliases
     select 'two-' || n, 'recipe_user', '${idOf(2)}'::uuid, gen_random_uuid() from generate_series(1, ${MANY}) n`,
  );
  const addExternalIds = (user: number, name: string, count: number) =>
    run(
      `insert into user_aliases
       select '${name}-' || n, 'external', '${idOf(user)}'::uuid, '${idOf(user)}'::uuid from generate_series(1, ${count}) n`,
    );
  await addExternalIds(3, 'three', MANY);
  for (const n of [6, 7, 8, 9, 10, 11]) await addExternalIds(n, `${n}`, 1199);
});
afterAll(() => database.drop());

describe.each(TESTED_ENGINES)('statements for $name', (engine) => {
  beforeAll(() => {
    database.db.engine = engine;
  });

  const pages = async (listing: Omit<UserListing, 'start'>) => {
    const seen: number[][] = [];
    let start: UserListing['start'] | undefined;
    do {
      const { users, next } = await store.listUsers({ ...listing, ...(start && { start }) });
      seen.push(numbersOf(users));
      start = next;
    } while (start !== undefined);
    return seen;
  };

  it('ends a page at 5,000 logins and ids; a user with more has a page alone', async () => {
    expect(await pages({ order: 'asc', limit: 10 })).toEqual([[1], [2], [3], [4, 6, 7, 8, 9], [10, 11]]);
    expect(await pages({ order: 'desc', limit: 10 })).toEqual([[11, 10, 9, 8], [7, 6, 4], [3], [2], [1]]);
    const alone = [[1], [2], [3], [4], [], [6], [7], [8], [9], [10], [11]];
    expect(await pages({ order: 'asc', limit: 1 })).toEqual(alone);
  });

  it('returns such a user completely', async () => {
    expect((await store.findUser(idOf(2)))?.loginMethods).toHaveLength(MANY);
    const { users } = await store.findUsersByAccountInfo({ email: 'many-7@b.c' }, 'all', 9);
    expect(users[0]?.loginMethods).toHaveLength(MANY);
    const both = await store.findUser('three-7');
    expect(both?.loginMethods.map(({ recipeId }) => recipeId)).toEqual(['emailpassword', 'thirdparty']);
    expect(both?.externalId).toMatch(/^three-\d+$/);
  });

  it('returns no user without logins', async () => {
    expect(await store.findUser(idOf(5))).toBeUndefined();
  });
});

describe.each(TESTED_ENGINES)('thousands of users with one address, for $name', (engine) => {
  const EMAIL = 'shared@b.c';
  beforeAll(async () => {
    database.db.engine = engine;
    const id = `('00000000-0000-7000-9000-' || lpad(n::text, 12, '0'))::uuid`;
    await run(`insert into users (user_id, time_joined_ms) select ${id}, n from generate_series(1, ${MANY}) n
      on conflict do nothing`);
    await run(`insert into third_party_logins
        (third_party_id, third_party_user_id, email, user_id, recipe_user_id, time_joined_ms)
      select 'google', 'shared-' || n, '${EMAIL}', ${id}, ${id}, n from generate_series(1, ${MANY}) n
      on conflict do nothing`);
  });

  it('finds the first of them, and the user who matches another condition', async () => {
    const { users, next } = await store.findUsersByAccountInfo({ email: EMAIL }, 'any', 3);
    expect(numbersOf(users)).toEqual([1, 2, 3]);
    expect(next?.timeJoinedMs).toBe(4);
    const identity = { id: 'google', userId: 'shared-4000' };
    const met = await store.findUsersByAccountInfo({ email: EMAIL, thirdParty: identity }, 'all', 3);
    expect(numbersOf(met.users)).toEqual([4000]);
  });
});
