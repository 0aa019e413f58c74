import { expect, it } from 'vitest';
import { useTestApp } from '../../../support/app.ts';
import { BCRYPT } from '../../../support/example-hashes.ts';
import { importNew, signInStatus } from '../../../support/service-calls.ts';

let nowMs = Date.now();
const service = await useTestApp({ now: () => nowMs });

/** Returns a census that begins now. */
async function census() {
  nowMs += 60_001;
  const { body } = await service.send('GET', '/recipe/user/passwordhash/census');
  return body;
}

it('counts nobody at first', async () => {
  expect(await census()).toMatchObject({
    status: 'OK',
    counting: false,
    countedAt: nowMs,
    ageMs: 0,
    hashes: [],
  });
});

it('counts hashes by algorithm, class and origin, and the users who signed in with them', async () => {
  await importNew(service, 'a@b.c');
  await importNew(service, 'b@b.c');
  await service.send('POST', '/recipe/signup', { email: 'c@b.c', password: 'of this service' });
  const group = { hashingAlgorithm: 'bcrypt', class: 'strong', setBy: 'import', users: 2 };
  const own = { hashingAlgorithm: 'argon2', class: 'strong', setBy: 'user', users: 1, signedIn: 0 };
  expect((await census()).hashes).toEqual([{ ...group, signedIn: 0 }, own]);

  expect(await signInStatus(service, 'a@b.c')).toBe('OK');
  expect((await census()).hashes).toEqual([{ ...group, signedIn: 1 }, own]);

  await service.send('POST', '/recipe/user/passwordhash/import', {
    email: 'a@b.c',
    passwordHash: BCRYPT.hash,
  });
  expect((await census()).hashes).toEqual([{ ...group, signedIn: 0 }, own]);
});

it('reads all pages of many logins', async () => {
  await service.database.db.query(
    `insert into password_logins (email, user_id, recipe_user_id, time_joined_ms, password_hash, hash_algorithm, hash_set_by)
     select n || '@many.c', gen_random_uuid(), gen_random_uuid(), 1, 'x', 'bcrypt', 'import' from generate_series(1, 45000) n`,
  );
  expect((await census()).hashes).toContainEqual({
    hashingAlgorithm: 'bcrypt',
    class: 'strong',
    setBy: 'import',
    users: 45_002,
    signedIn: 0,
  });
});
