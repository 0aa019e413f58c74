import { afterAll, expect, it } from 'vitest';
import { countOfRecipe, walkToRecipe } from '../../../../src/postgres/citus/users/user-pages.ts';
import { recipesThatCount } from '../../../../src/postgres/users/user-pages.ts';
import type { PageStart } from '../../../../src/users/user-store.ts';
import { createTestDatabase } from '../../../support/database.ts';
import { idOf } from '../../../support/numbered-ids.ts';

const USERS = 300;
const recipeIdOf = (n: number, m: number) =>
  `00000000-0000-7000-9${m.toString().padStart(3, '0')}-${n.toString().padStart(12, '0')}`;

/**
 * Every tenth user has passwords: one under its own id, one under another id, two, or two under other ids.
 */
const KINDS = [[0], [1], [0, 1], [1, 2]];
const HAVING = Array.from({ length: USERS / 10 }, (_, index) => 10 * index);

const database = await createTestDatabase();
for (const n of HAVING) {
  for (const m of KINDS[(n / 10) % KINDS.length] ?? []) {
    await database.db.query(
      `insert into password_logins (email, user_id, recipe_user_id, time_joined_ms, password_hash, hash_algorithm)
       values ($1, $2, $3, 0, 'x', 'bcrypt')`,
      [`${n % 20 === 0 ? 'even' : 'odd'}-${n}-${m}@b.c`, idOf(n), m === 0 ? idOf(n) : recipeIdOf(n, m)],
    );
  }
}
afterAll(() => database.drop());

const PLACES: PageStart[] = Array.from({ length: USERS }, (_, n) => ({ timeJoinedMs: n, userId: idOf(n) }));
const sizes: number[] = [];
const placesFrom = async (start: PageStart | undefined, limit: number) => {
  sizes.push(limit);
  const from = start?.timeJoinedMs ?? 0;
  return PLACES.slice(from, from + limit);
};
const walk = async (most: number, from?: number) => {
  sizes.length = 0;
  const start = from === undefined ? undefined : PLACES[from];
  const found = await walkToRecipe(database.db, 'emailpassword', { start, most }, placesFrom);
  return found?.places.map(({ timeJoinedMs }) => timeJoinedMs);
};

it.each([1, 2, 7, 29, 30, 31, 400])(
  'finds the first %i users of a kind, in order and each once',
  async (most) => {
    expect(await walk(most)).toEqual(HAVING.slice(0, most));
  },
);

it('continues at a given position, with growing steps', async () => {
  expect(await walk(2, 1)).toEqual([10, 20]);
  expect(sizes).toEqual([3, 9, 14]);
  expect(await walk(2, 281)).toEqual([290]);
  expect(await walk(2, 295)).toEqual([]);
});

it('finds nobody of a kind that nobody has', async () => {
  const walked = await walkToRecipe(database.db, 'thirdparty', { start: undefined, most: 5 }, placesFrom);
  expect(walked).toEqual({ places: [], logins: [] });
});

it('returns the logins of the users it found, except for linked users', async () => {
  await database.db.query('update password_logins set linked = true where user_id = $1', [idOf(10)]);
  const walked = await walkToRecipe(database.db, 'emailpassword', { start: undefined, most: 2 }, placesFrom);
  expect(walked?.places.map(({ timeJoinedMs }) => timeJoinedMs)).toEqual([0, 10]);
  expect(walked?.logins).toMatchObject([{ user_id: idOf(0), email: 'even-0-0@b.c', linked: false }]);
});

it('counts each user once, however many logins of the kind it has, under any ids', async () => {
  expect(await countOfRecipe(database.db, 'emailpassword')).toBe(HAVING.length);
  expect(await countOfRecipe(database.db, 'thirdparty')).toBe(0);
});

it('looks for no kind if all kinds match, because every user has one', () => {
  expect(recipesThatCount({})).toBeUndefined();
  expect(recipesThatCount({ recipeIds: ['thirdparty', 'emailpassword'] })).toBeUndefined();
  expect(recipesThatCount({ recipeIds: ['thirdparty', 'thirdparty'] })).toEqual(['thirdparty']);
  expect(recipesThatCount({ recipeIds: [] })).toEqual([]);
});
