import { afterEach, beforeEach, expect, it } from 'vitest';
import type { OnConflict } from '../../../src/imports/import-request.ts';
import { createUserStore } from '../../../src/postgres/users/create-user-store.ts';
import { testPasswords } from '../../support/app.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { labelledHash } from '../../support/labelled-hashes.ts';
import { ndjson } from '../../support/ndjson.ts';
import { WITH_ALL_TABLES } from '../../support/with-all-tables.ts';
import { runStream } from '../import-under-test.ts';

const passwords = testPasswords();
const USERS = 30;
const LINES = 200;
const CALLS = 150;

let database: TestDatabase;
beforeEach(async () => {
  database = await createTestDatabase();
});
afterEach(() => database.drop());

const random = (below: number) => Math.floor(Math.random() * below);
const email = (user: number) => `user-${user}@b.c`;
const google = (user: number) => ({ id: 'google', userId: `${user}` });

/** Returns a line for one of few users, who may have a password, a third-party login, or both. */
function randomLine(): unknown {
  const user = random(USERS);
  const passwordHash = labelledHash(`${random(1000)}`).encoded;
  const thirdParty = { thirdPartyId: 'google', thirdPartyUserId: `${user}` };
  switch (random(3)) {
    case 0:
      return { email: email(user), passwordHash };
    case 1:
      return { ...thirdParty, email: { id: email(random(USERS)), isVerified: random(2) === 0 } };
    default:
      return {
        externalUserId: `old-${user}`,
        loginMethods: [
          { recipeId: 'emailpassword', email: email(user), passwordHash, isPrimary: true },
          { recipeId: 'thirdparty', email: email(user), ...thirdParty },
        ],
      };
  }
}

function importRandomLines(importId: string, onConflict: OnConflict) {
  const bytes = Buffer.from(ndjson(...Array.from({ length: LINES }, randomLine)));
  const limits = { maxLines: 20, maxBytes: 1_000_000, idleMs: 5, maxAgeMs: 250 };
  const pace = { sizes: [4000], pauses: true };
  return runStream(
    { db: database.db, passwords },
    { importId, onConflict, dryRun: false },
    { bytes, pace, limits },
  );
}

async function callRandomly(): Promise<void> {
  const store = createUserStore(database.db);
  for (let call = 0; call < CALLS; call += 1) {
    const user = random(USERS);
    const hash = labelledHash(`${call}`);
    const login = random(6) < 4 ? undefined : await store.findPasswordLogin(email(user));
    if (login !== undefined) {
      const change = random(2) === 0 ? { hash } : { email: email(random(USERS)) };
      if (random(2) === 0) await store.updatePasswordLogin(login.recipeUserId, change);
      else await store.removeUser(login.recipeUserId, random(2) === 0 ? 'user' : 'login-method');
      continue;
    }
    const verified = random(2) === 0;
    await [
      () => store.importPasswordUser({ email: email(user), hash }),
      () => store.createPasswordUser({ email: email(user), hash }),
      () => store.signInUpThirdParty({ identity: google(user), email: email(random(USERS)), verified }),
    ][random(3)]?.();
  }
}

/** Finds inconsistent users, which no interleaving may produce. */
const MISFITS = `${WITH_ALL_TABLES}, logins as (
    select user_id, recipe_user_id, linked, time_joined_ms from password_logins
    union all select user_id, recipe_user_id, linked, time_joined_ms from third_party_logins
  )
  select 'without login' as what, user_id from users where user_id not in (select user_id from logins)
  union all select 'login of nobody', user_id from logins where user_id not in (select user_id from users)
  union all select 'alias of nobody', user_id from user_aliases where user_id not in (select user_id from users)
  union all select 'alias of no login', a.user_id from user_aliases a
    where not exists (select from logins l where (l.user_id, l.recipe_user_id) = (a.user_id, a.recipe_user_id))
      and a.user_id <> a.recipe_user_id
  union all select 'linked wrongly', user_id from logins l
    where linked <> ((select count(*) from logins o where o.user_id = l.user_id) > 1
      or exists (select from user_aliases a where a.user_id = l.user_id and kind = 'external'))
  union all select 'joined at another time', user_id from users u
    where time_joined_ms <> (select min(time_joined_ms) from logins l where l.user_id = u.user_id)`;

it.each(['update-unchanged', 'overwrite'] as const)(
  'imports (%s) and single calls of the same users do not interfere',
  async (onConflict) => {
    const [first, second] = await Promise.all([
      importRandomLines('first', onConflict),
      importRandomLines('second', onConflict),
      callRandomly(),
      callRandomly(),
    ]);
    for (const { results, summary } of [first, second]) {
      expect(results.map(({ line }) => line)).toEqual(Array.from({ length: LINES }, (_, index) => index + 1));
      expect(summary).toMatchObject({ lines: LINES });
    }
    expect(await database.db.query(MISFITS)).toEqual([]);
  },
);
