import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AppError } from '../../../src/lib/errors.ts';
import { Database } from '../../../src/postgres/client/database.ts';
import { createUserStore } from '../../../src/postgres/users/create-user-store.ts';
import type { User } from '../../../src/users/user.ts';
import type { UserStore } from '../../../src/users/user-store.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { findLoginWithHash } from '../../support/find-login-with-hash.ts';
import { labelledHash } from '../../support/labelled-hashes.ts';
import { lockWaits } from '../../support/lock-waits.ts';

const HASH = labelledHash('old');
const EMAIL = 'a@b.c';
const IDENTITY = { id: 'google', userId: 'g-1' };
const [USER, RECIPE] = ['01890000-0000-7000-8000-000000000001', '01890000-0000-7000-8000-000000000002'];
const PASSWORD_LOCK = `select 1 from password_logins where email = '${EMAIL}' for update`;
const THIRD_PARTY_LOCK = "select 1 from third_party_logins where third_party_user_id = 'g-1' for update";

/** Runs `between` before users are read separately, and counts statements. */
class SteppedDatabase extends Database {
  statements = 0;
  between: (() => Promise<unknown>) | undefined;
  override async query<Row extends Record<string, unknown>>(
    text: string,
    values?: readonly unknown[],
  ): Promise<Row[]> {
    this.statements += 1;
    if (/time_joined_ms( as value)? from users where user_id = (any|\$1$)/.test(text)) await this.between?.();
    return super.query<Row>(text, values);
  }
}

let database: TestDatabase;
let db: SteppedDatabase;
let store: UserStore;
beforeEach(async () => {
  database = await createTestDatabase();
  db = new SteppedDatabase({ uri: database.uri, size: 4, timeoutMs: 10_000, onIdleError: () => {} });
  db.engine = database.db.engine;
  store = createUserStore(db);
});
afterEach(async () => {
  await db.close();
  await database.drop();
});

/** Inserts a user with a password login, a third-party login and external ids, as a bulk import does. */
async function addLinkedUser(ids: { password: string; thirdParty: string }): Promise<void> {
  await database.db.query(
    `with u as (insert into users (user_id, time_joined_ms) values ($1, 1000)),
      p as (insert into password_logins
        (email, user_id, recipe_user_id, time_joined_ms, linked, password_hash, hash_algorithm)
        values ('${EMAIL}', $1, $2, 1000, true, $4, 'bcrypt')),
      t as (insert into third_party_logins
        (third_party_id, third_party_user_id, email, user_id, recipe_user_id, time_joined_ms, linked)
        values ('google', 'g-1', 'g@b.c', $1, $3, 1000, true))
     insert into user_aliases
       select 'old-' || id, 'external', $1::uuid, id::uuid from unnest(array[$2::text, $3::text]) id
       union all select id, 'recipe_user', $1::uuid, id::uuid from unnest(array[$2::text, $3::text]) id where id <> $1::text`,
    [USER, ids.password, ids.thirdParty, HASH.encoded],
  );
}

/**
 * Starts `first` and then `second` while another transaction holds a lock that both need. Releases them in
 * this order.
 */
async function inLine<A, B>(lock: string, first: () => Promise<A>, second: () => Promise<B>): Promise<B> {
  let both: Promise<[A, B]> | undefined;
  await database.db.transaction(async (holder) => {
    await holder.query(lock);
    const begun = first();
    await expect.poll(() => lockWaits(database.db)).toBe(1);
    both = Promise.all([begun, second()]);
    await expect.poll(() => lockWaits(database.db)).toBe(2);
  });
  if (both === undefined) throw new Error('nobody was in line');
  return (await both)[1];
}

const recipeIds = (user: User | undefined) => user?.loginMethods.map(({ recipeUserId }) => recipeUserId);
const signInUp = () => store.signInUpThirdParty({ identity: IDENTITY, email: 'new@b.c', verified: true });
const unavailable = () => Promise.reject(new AppError('STORAGE_UNAVAILABLE', 'Storage is unavailable'));

describe('a sign-in that waits for the removal of another login method', () => {
  const signIn = (recipeUserId: string) => store.recordSignIn(EMAIL, { recipeUserId, hash: HASH });

  it.each([true, false])(
    'returns the user with this remaining login method (external ids: %s)',
    async (has) => {
      await addLinkedUser({ password: USER, thirdParty: RECIPE });
      if (!has) await database.db.query("delete from user_aliases where kind = 'external'");
      const remove = () => store.removeUser(RECIPE, 'login-method');
      const user = await inLine(PASSWORD_LOCK, remove, () => signIn(USER));
      expect(user).toEqual(await store.findUser(USER));
      expect(recipeIds(user)).toEqual([USER]);
    },
  );

  it('does not count for the former id of the login', async () => {
    await addLinkedUser({ password: RECIPE, thirdParty: USER });
    const remove = () => store.removeUser(USER, 'login-method');
    expect(await inLine(PASSWORD_LOCK, remove, () => signIn(RECIPE))).toBeUndefined();
    expect(await store.findSignedIn(EMAIL, { recipeUserId: RECIPE, hash: HASH })).toBeUndefined();
    expect((await findLoginWithHash(store, EMAIL))?.lastSignInMs).toBeUndefined();
    expect(await signIn(USER)).toEqual(await store.findUser(USER));
  });
});

describe('a third-party sign-in', () => {
  it('returns a linked user after its change, with one statement (more on Citus)', async () => {
    db.statements = 0;
    const answer = await signInUp();
    // After the transaction of the sign-in: one statement for each table, twice, and three to confirm that
    // nothing was changed meanwhile.
    expect(db.statements).toBe(db.engine.name === 'citus' ? 10 : 1);
    expect(answer).toEqual({ user: await store.findUser(USER), recipeUserId: RECIPE, created: false });
    expect(answer.user.loginMethods.find(({ recipeUserId }) => recipeUserId === RECIPE)).toMatchObject({
      email: 'new@b.c',
      verified: true,
    });
  });

  const whileItsSiblingGoes = () =>
    inLine(THIRD_PARTY_LOCK, () => store.removeUser(USER, 'login-method'), signInUp);
  beforeEach(() => addLinkedUser({ password: USER, thirdParty: RECIPE }));

  it('has the current id and user of the login', async () => {
    expect(await whileItsSiblingGoes()).toEqual({
      user: await store.findUser(USER),
      recipeUserId: USER,
      created: false,
    });
  });

  it.each([
    ['the database is away', unavailable],
    ['its login is gone', () => database.db.query('delete from third_party_logins')],
  ])('returns what was committed if %s afterwards', async (_, between) => {
    db.between = between;
    const answer = await whileItsSiblingGoes();
    expect([answer.user.id, answer.recipeUserId, answer.created]).toEqual([USER, USER, false]);
    expect(answer.user.loginMethods).toMatchObject([
      { recipeUserId: USER, email: 'new@b.c', verified: true },
    ]);
  });
});

describe('an import of a linked login', () => {
  const importAgain = () => store.importPasswordUser({ email: EMAIL, hash: labelledHash('new') });

  it('returns the complete user', async () => {
    await addLinkedUser({ password: RECIPE, thirdParty: USER });
    expect(await importAgain()).toEqual({ user: await store.findUser(USER), existed: true });
  });

  it.each([
    ['tells the user as it is by then', undefined],
    ['tells what was committed when the database is away after that', unavailable],
  ])('%s', async (_, between) => {
    await addLinkedUser({ password: RECIPE, thirdParty: USER });
    db.between = between;
    const remove = () => store.removeUser(USER, 'login-method');
    const answer = await inLine(PASSWORD_LOCK, remove, importAgain);
    expect(answer.existed).toBe(true);
    expect(recipeIds(answer.user)).toEqual([USER]);
    expect(answer.user.id).toBe(USER);
    expect((await findLoginWithHash(store, EMAIL))?.hash).toEqual(labelledHash('new'));
  });
});
