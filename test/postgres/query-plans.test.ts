import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Database } from '../../src/postgres/client/database.ts';
import { createUserStore } from '../../src/postgres/users/create-user-store.ts';
import type { UserStore } from '../../src/users/user-store.ts';
import { IS_CITUS } from '../support/citus.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { labelledHash } from '../support/labelled-hashes.ts';

const USERS = 20_000;

interface Plan {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  Plans?: Plan[];
}

/** Explains each statement instead of running it. */
class ExplainingDatabase extends Database {
  readonly nodes: Plan[] = [];
  override async query<Row extends Record<string, unknown>>(
    text: string,
    values?: readonly unknown[],
  ): Promise<Row[]> {
    const [row] = await super.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
      `explain (format json) ${text}`,
      values,
    );
    const todo = row === undefined ? [] : [row['QUERY PLAN'][0].Plan];
    for (let plan = todo.pop(); plan !== undefined; plan = todo.pop()) {
      this.nodes.push(plan);
      todo.push(...(plan.Plans ?? []));
    }
    return [];
  }
}

let database: TestDatabase;
beforeAll(async () => {
  if (IS_CITUS) return;
  database = await createTestDatabase();
  const { db } = database;
  await db.query(
    `with u as (
       insert into users (user_id, time_joined_ms)
       select gen_random_uuid(), 1700000000000 + n from generate_series(1, ${USERS}) n
       returning user_id, time_joined_ms
     ), p as (
       insert into password_logins
         (email, user_id, recipe_user_id, time_joined_ms, password_hash, hash_algorithm, hash_set_by)
       select 'user-' || time_joined_ms || '@b.c', user_id, user_id, time_joined_ms, 'x', 'bcrypt', 'import'
       from u where time_joined_ms % 2 = 0
     )
     insert into third_party_logins
       (third_party_id, third_party_user_id, email, user_id, recipe_user_id, time_joined_ms)
     select 'google', user_id::text, 'user-' || time_joined_ms || '@b.c', user_id, user_id, time_joined_ms
     from u where time_joined_ms % 2 = 1`,
  );
  await db.query('analyze');
});
afterAll(() => database?.drop());

const ID = '01890000-0000-7000-8000-000000000001';
const START = { timeJoinedMs: 1_700_000_010_000, userId: ID };
const EMAIL = 'user-1700000000010@b.c';
const BY_LOGIN = ['password_logins_by_user', 'third_party_logins_by_user', 'user_aliases_by_user'];
const IDENTITY = { id: 'google', userId: 'x' };

/** Calls, and the indexes that they must use, apart from those that collect a user's logins. */
const QUESTIONS: [string, (store: UserStore) => Promise<unknown>, string[]][] = [
  ['a first page', (store) => store.listUsers({ order: 'asc', limit: 101 }), ['users_by_time_joined']],
  ['a last page', (store) => store.listUsers({ order: 'desc', limit: 101 }), ['users_by_time_joined']],
  [
    'a page in the middle',
    (store) => store.listUsers({ order: 'asc', limit: 101, start: START }),
    ['users_by_time_joined'],
  ],
  [
    'a page in the middle, backwards',
    (store) => store.listUsers({ order: 'desc', limit: 101, start: START }),
    ['users_by_time_joined'],
  ],
  [
    'a search by address',
    (store) => store.searchUsers({ emails: ['user-170000000001'], order: 'asc', limit: 1000 }),
    ['password_logins_pkey', 'third_party_logins_by_email'],
  ],
  [
    'a search for many addresses',
    (store) =>
      store.searchUsers({
        emails: ['user-1700000000011', 'user-1700000000020', 'x'],
        order: 'desc',
        limit: 1000,
      }),
    ['password_logins_pkey', 'third_party_logins_by_email', 'users_pkey'],
  ],
  [
    'a search by address and provider',
    (store) =>
      store.searchUsers({
        emails: ['user-170000000001'],
        providers: ['google', 'git'],
        order: 'asc',
        limit: 1000,
      }),
    ['third_party_logins_by_email', 'users_pkey'],
  ],
  [
    'users by e-mail',
    (store) => store.findUsersByAccountInfo({ email: EMAIL }, 'any', 500),
    ['password_logins_pkey', 'third_party_logins_by_email', 'users_pkey'],
  ],
  [
    'users by identity',
    (store) => store.findUsersByAccountInfo({ thirdParty: IDENTITY }, 'all', 500),
    ['third_party_logins_pkey', 'users_pkey'],
  ],
  [
    'users by e-mail and identity',
    (store) => store.findUsersByAccountInfo({ email: EMAIL, thirdParty: IDENTITY }, 'all', 500),
    ['password_logins_pkey', 'third_party_logins_pkey', 'third_party_logins_by_email', 'users_pkey'],
  ],
];

describe.skipIf(IS_CITUS)('one Postgres (not Citus, which plans on its nodes)', () => {
  it('counts the users of a secret with the index of secrets', async () => {
    const nodes = await explain((store) => store.countBySecret({ ids: ['a'], hasSignerKey: false }, 10_001));
    const used = nodes.flatMap((node) => node['Index Name'] ?? []);
    expect(new Set(used)).toEqual(new Set(['password_logins_by_secret']));
    expect(nodes.filter((node) => node['Node Type'] === 'Seq Scan')).toEqual([]);
  });

  async function explain(ask: (store: UserStore) => Promise<unknown>) {
    const db = new ExplainingDatabase({
      uri: database.uri,
      size: 1,
      timeoutMs: 10_000,
      onIdleError: () => {},
    });
    await ask(createUserStore(db));
    await db.close();
    return db.nodes;
  }

  it.each(QUESTIONS)('answers %s from indexes alone', async (_, ask, indexes) => {
    const nodes = await explain(ask);
    const scans = nodes.filter((node) => node['Node Type'] === 'Seq Scan');
    // The table of aliases is empty, so Postgres scans it without an index.
    expect(scans.filter((node) => node['Relation Name'] !== 'user_aliases')).toEqual([]);
    const used = new Set(nodes.flatMap((node) => node['Index Name'] ?? []));
    expect([...used].filter((index) => !BY_LOGIN.includes(index)).toSorted()).toEqual(
      expect.arrayContaining(indexes.toSorted()),
    );
  });

  it('answers a sign-in with one look-up by key', async () => {
    const nodes = await explain((store) => store.findPasswordLogin(EMAIL));
    expect(nodes.map((node) => node['Index Name'])).toEqual(['password_logins_pkey']);
  });

  it.each(['findSignedIn', 'recordSignIn'] as const)(
    'confirms it with another look-up by key, and reads nothing else for users with one login (%s)',
    async (method) => {
      const login = { recipeUserId: ID, hash: labelledHash('x') };
      const nodes = await explain((store) => store[method](EMAIL, login));
      const used = new Set(nodes.flatMap((node) => node['Index Name'] ?? []));
      expect([...used]).toEqual(['password_logins_pkey']);
      expect(nodes.filter((node) => node['Node Type'] === 'Seq Scan')).toEqual([]);
    },
  );
});
