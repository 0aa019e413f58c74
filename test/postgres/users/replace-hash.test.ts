import { afterAll, expect, it } from 'vitest';
import type { ParsedHash } from '../../../src/hashing/verifier.ts';
import { createUserStore } from '../../../src/postgres/users/create-user-store.ts';
import { createTestDatabase } from '../../support/database.ts';
import { labelledHash } from '../../support/labelled-hashes.ts';

const database = await createTestDatabase();
const store = createUserStore(database.db);
afterAll(() => database.drop());

const parsed = (label: string) => labelledHash(label) as ParsedHash;
const [OLD, NEW] = ['00', '11'].map((pair) => pair.repeat(16)) as [string, string];
let count = 0;
const newEmail = () => `user-${++count}@b.c`;

async function importedLogin(email = newEmail()) {
  const hash = labelledHash('old');
  const { user } = await store.importPasswordUser({ email, hash });
  return { email, recipeUserId: user.id, hash };
}

const rowOf = async (email: string) => {
  const [row] = await database.db.query(
    `select password_hash, hash_set_by, hash_class, encode(imported_fingerprint, 'hex') as fingerprint,
       hash_set_at > now() - interval '1 minute' as is_new
     from password_logins where email = $1`,
    [email],
  );
  return row;
};
const changesOf = async (recipeUserId: string) => {
  const rows = await database.db.query<{ changed_by: string }>(
    'select changed_by from hash_changes where recipe_user_id = $1 order by id',
    [recipeUserId],
  );
  return rows.map(({ changed_by }) => changed_by);
};

it('replaces the hash, records that, and remembers the imported hash', async () => {
  const login = await importedLogin();
  expect(await store.replaceHash(login, { hash: parsed('new'), fingerprint: OLD })).toBe(true);
  expect(await rowOf(login.email)).toEqual({
    password_hash: labelledHash('new').encoded,
    hash_set_by: 'rehash',
    hash_class: 'strong',
    fingerprint: OLD,
    is_new: true,
  });
  expect(await changesOf(login.recipeUserId)).toEqual(['rehash']);
});

it('remembers the imported hash even if its successor is replaced', async () => {
  const login = await importedLogin();
  await store.replaceHash(login, { hash: parsed('new'), fingerprint: OLD });
  const next = { ...login, hash: labelledHash('new') };
  expect(await store.replaceHash(next, { hash: parsed('newer'), fingerprint: NEW })).toBe(true);
  expect(await rowOf(login.email)).toMatchObject({ fingerprint: OLD, hash_set_by: 'rehash' });
});

it('replaces only this hash of this login', async () => {
  const login = await importedLogin();
  const by = { hash: parsed('new'), fingerprint: OLD };
  const before = await rowOf(login.email);
  for (const other of [
    { ...login, hash: labelledHash('other') },
    { ...login, hash: { ...login.hash, encoded: login.hash.encoded, algorithm: 'argon2' } },
    { ...login, hash: { ...login.hash, encoded: login.hash.encoded, algorithm: 'bcrypt', secretId: 'x' } },
    { ...login, recipeUserId: '01890000-0000-7000-8000-0000000000e1' },
    { ...login, email: newEmail() },
  ]) {
    expect(await store.replaceHash(other, by)).toBe(false);
  }
  expect(await rowOf(login.email)).toEqual(before);
  expect(await changesOf(login.recipeUserId)).toEqual([]);
});

it("keeps a password of the user's own choice, which no import may overwrite", async () => {
  const email = newEmail();
  const user = await store.createPasswordUser({ email, hash: labelledHash('own') });
  if (user === 'email-taken') throw new Error('taken');
  const login = { email, recipeUserId: user.id, hash: labelledHash('own') };
  expect(await store.replaceHash(login, { hash: parsed('new'), fingerprint: OLD })).toBe(true);
  expect(await rowOf(email)).toMatchObject({ hash_set_by: 'user', fingerprint: null });
  expect(await changesOf(user.id)).toEqual(['rehash']);
});

it('keeps the fingerprint of the imported hash if the e-mail changes, and deletes it if the password does', async () => {
  const login = await importedLogin();
  await store.replaceHash(login, { hash: parsed('new'), fingerprint: OLD });
  const email = newEmail();
  await store.updatePasswordLogin(login.recipeUserId, { email });
  expect(await rowOf(email)).toMatchObject({ fingerprint: OLD, hash_set_by: 'rehash' });
  await store.updatePasswordLogin(login.recipeUserId, { hash: labelledHash('chosen') });
  expect(await rowOf(email)).toMatchObject({ fingerprint: null, hash_set_by: 'user' });
});

it('the hash is kept by an import of the same hash, and replaced by an import of another', async () => {
  const upgraded = async () => {
    const login = await importedLogin();
    await store.replaceHash(login, { hash: parsed('new'), fingerprint: OLD });
    return login;
  };
  const logins = await Promise.all([upgraded(), upgraded(), upgraded()]);
  const [same, other, unasked] = logins as [(typeof logins)[0], (typeof logins)[0], (typeof logins)[0]];
  const hash = labelledHash('again');
  const asked: string[] = [];
  const answers = (answer: boolean) => (fingerprint: string) => {
    asked.push(fingerprint);
    return answer;
  };
  const fresh = newEmail();
  const results = await Promise.all([
    store.importPasswordUser({ email: same.email, hash, matchesFingerprint: answers(true) }),
    store.importPasswordUser({ email: other.email, hash, matchesFingerprint: answers(false) }),
    store.importPasswordUser({ email: unasked.email, hash }),
    store.importPasswordUser({ email: fresh, hash, matchesFingerprint: answers(true) }),
  ]);
  expect(new Set(asked)).toEqual(new Set([OLD]));
  expect(results.map(({ user, existed }) => [existed && user.id, user.loginMethods[0]?.email])).toEqual([
    ...[same, other, unasked].map(({ email, recipeUserId }) => [recipeUserId, email]),
    [false, fresh],
  ]);
  expect(await rowOf(same.email)).toMatchObject({
    password_hash: labelledHash('new').encoded,
    fingerprint: OLD,
  });
  for (const { email } of [other, unasked]) {
    expect(await rowOf(email)).toMatchObject({
      password_hash: hash.encoded,
      hash_set_by: 'import',
      fingerprint: null,
    });
  }
  expect(await changesOf(same.recipeUserId)).toEqual(['rehash']);
  expect(await changesOf(other.recipeUserId)).toEqual(['rehash', 'import']);
});
