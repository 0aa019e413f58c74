import { afterEach, beforeEach, expect, it } from 'vitest';
import { createUserStore } from '../../../src/postgres/users/create-user-store.ts';
import type { UserStore } from '../../../src/users/user-store.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { labelledHash } from '../../support/labelled-hashes.ts';

const ROUNDS = 50;

let database: TestDatabase;
let store: UserStore;
beforeEach(async () => {
  database = await createTestDatabase();
  store = createUserStore(database.db);
});
afterEach(() => database.drop());

const importUser = (email: string) => store.importPasswordUser({ email, hash: labelledHash('x') });

/** Returns the ids of users without any login, and of logins without a user. There must never be any. */
async function halves(): Promise<string[]> {
  const idsIn = async (table: string) => {
    const rows = await database.db.query<{ user_id: string }>(`select user_id from ${table}`);
    return rows.map(({ user_id }) => user_id);
  };
  const users = await idsIn('users');
  const logins = [...(await idsIn('password_logins')), ...(await idsIn('third_party_logins'))];
  return [...users.filter((id) => !logins.includes(id)), ...logins.filter((id) => !users.includes(id))];
}

it('leaves nothing half-removed if a user is removed while it is changed', async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const { user } = await importUser(`user-${round}@b.c`);
    const email = `moved-${round}@b.c`;
    const change = () => store.updatePasswordLogin(user.id, { email, hash: labelledHash('y') });
    const remove = () => store.removeUser(user.id, 'user');
    const [outcome] = await Promise.all(
      round % 2 === 0 ? [change(), remove()] : [remove().then(() => undefined), change()],
    );
    if (round % 2 === 0) expect(['updated', 'unknown-user']).toContain(outcome);
    expect(await store.findUser(user.id)).toBeUndefined();
    expect(await store.findPasswordLogin(email)).toBeUndefined();
  }
  expect(await halves()).toEqual([]);
  expect(await store.countUsers({})).toBe(0);
});

it('leaves nothing half-removed if a user is removed while it is imported again', async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const email = `user-${round}@b.c`;
    const { user } = await importUser(email);
    const [again] = await Promise.all([importUser(email), store.removeUser(user.id, 'user')]);
    // Either the import came first and was removed with the user, or it created a new one.
    const { users: left } = await store.findUsersByAccountInfo({ email }, 'any', 9);
    expect(left.map(({ id }) => id)).toEqual(again.existed ? [] : [again.user.id]);
  }
  expect(await halves()).toEqual([]);
});

it('leaves nothing half-removed if a third-party user is removed while it signs in', async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const call = {
      identity: { id: 'google', userId: `${round}` },
      email: `user-${round}@b.c`,
      verified: true,
    };
    const { user } = await store.signInUpThirdParty(call);
    await Promise.all([store.signInUpThirdParty(call), store.removeUser(user.id, 'user')]);
  }
  expect(await halves()).toEqual([]);
});

it('ends with one user or none after simultaneous operations of every kind on one e-mail', async () => {
  const email = 'wanted@b.c';
  for (let round = 0; round < 20; round += 1) {
    const { user } = await importUser(email);
    const other = await importUser(`other-${round}@b.c`);
    await Promise.all([
      store.removeUser(user.id, 'user'),
      importUser(email),
      store.createPasswordUser({ email, hash: labelledHash('z') }),
      store.updatePasswordLogin(other.user.id, { email }),
      store.updatePasswordLogin(user.id, { email: `away-${round}@b.c` }),
    ]);
  }
  expect(await halves()).toEqual([]);
});
