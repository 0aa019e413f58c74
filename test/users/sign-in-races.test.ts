import { expect, it } from 'vitest';
import { createUserStore } from '../../src/postgres/users/create-user-store.ts';
import { importUser } from '../../src/users/import-user.ts';
import { signIn } from '../../src/users/sign-in.ts';
import { signInUpThirdParty } from '../../src/users/sign-up.ts';
import type { User } from '../../src/users/user.ts';
import { useTestDatabase } from '../support/database.ts';
import { spiedPasswords } from '../support/spied-passwords.ts';
import { BCRYPT_4, NO_UPGRADES, PASSWORD } from './domain.ts';

const USERS = 3;
const LANES = 6;
const ROUNDS = 100;

const random = (below: number) => Math.floor(Math.random() * below);
const email = (n: number) => `user-${n}@b.c`;
const identity = (n: number, id = 'google') => ({ id, userId: `${id}-${n}` });

/** Inserts a user with three login methods as a bulk import does, unless a key is taken. */
const ADD = `
  with u as (insert into users (user_id, time_joined_ms) values ($1, 1000)),
    p as (insert into password_logins
      (email, user_id, recipe_user_id, time_joined_ms, linked, password_hash, hash_algorithm)
      values ($4, $1, $1, 1000, true, $5, 'bcrypt')),
    t as (insert into third_party_logins
      (third_party_id, third_party_user_id, email, user_id, recipe_user_id, time_joined_ms, linked)
      values ('google', $6, $4, $1, $2, 1000, true), ('apple', $7, $4, $1, $3, 1000, true))
  insert into user_aliases values ($2::text, 'recipe_user', $1, $2::uuid), ($3::text, 'recipe_user', $1, $3::uuid),
    ('old-' || $2::text, 'external', $1, $2::uuid)`;

const uuid = () => crypto.randomUUID();

const keysOf = (user: User) =>
  user.loginMethods.map((method) =>
    method.recipeId === 'thirdparty' ? `${method.thirdParty.id} ${method.thirdParty.userId}` : method.email,
  );

it('returns users as they were at some moment of the call, with a login method of theirs', async () => {
  const { db } = await useTestDatabase();
  const store = createUserStore(db);
  const deps = { ...spiedPasswords(), ...NO_UPGRADES, store, now: Date.now };
  /** Login methods of each user when last seen. Login methods are only removed, never added. */
  const left = new Map<string, ReadonlySet<string>>();
  let checked = 0;

  /** Compares the answer of a call with what was known when the call began. */
  async function check(call: () => Promise<{ user: User; recipeUserId: string } | undefined>) {
    const known = new Map(left);
    const answer = await call();
    if (answer === undefined) return;
    const { user, recipeUserId } = answer;
    expect(user.loginMethods.map((method) => method.recipeUserId)).toContain(recipeUserId);
    const possible = known.get(user.id);
    if (possible !== undefined) expect([...possible]).toEqual(expect.arrayContaining(keysOf(user)));
    checked += 1;
  }
  const someoneOf = async (n: number) => {
    const infos = [{ email: email(n) }, { thirdParty: identity(n) }, { thirdParty: identity(n, 'apple') }];
    return (await store.findUsersByAccountInfo(infos[random(3)] ?? {}, 'any', 1)).users[0];
  };
  const steps: ((n: number) => Promise<unknown>)[] = [
    (n) =>
      check(async () => {
        const result = await signIn(deps, { email: email(n), password: PASSWORD });
        return result.outcome === 'signed-in' ? result.login : undefined;
      }),
    (n) =>
      check(async () => {
        const result = await signInUpThirdParty(store, {
          identity: identity(n),
          email: email(n),
          verified: true,
        });
        return result === 'disabled' ? undefined : result;
      }),
    (n) =>
      check(async () => {
        const { user } = await importUser(deps, { email: email(n), passwordHash: BCRYPT_4 });
        const method = user.loginMethods.find(({ recipeId }) => recipeId === 'emailpassword');
        return { user, recipeUserId: method?.recipeUserId ?? 'none of a password' };
      }),
    async (n) => {
      const user = await someoneOf(n);
      if (user === undefined) return;
      const id = user.loginMethods[random(user.loginMethods.length)]?.recipeUserId ?? user.id;
      await store.removeUser(id, random(4) === 0 ? 'user' : 'login-method');
      const now = await store.findUser(user.id);
      // Another call may have read later and answered earlier.
      const before = left.get(user.id);
      left.set(user.id, new Set(now && keysOf(now).filter((key) => before?.has(key) ?? true)));
    },
    async (n) => {
      const user = await someoneOf(n);
      if (user !== undefined) await store.removeUser(user.id, 'user');
      const keys = [email(n), BCRYPT_4, identity(n).userId, identity(n, 'apple').userId];
      await db.query(ADD, [uuid(), uuid(), uuid(), ...keys]).catch((error: { code?: string }) => {
        if (error.code !== '23505') throw error;
      });
    },
  ];
  const lane = async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      await steps[random(steps.length)]?.(random(USERS)).catch((error: { code?: string }) => {
        // The call gave up, because the user changed too often.
        if (error.code !== 'OVERLOADED') throw error;
      });
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  expect(checked).toBeGreaterThan(ROUNDS);
});
