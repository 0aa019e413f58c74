import { expect, it } from 'vitest';
import { useTestDatabase } from '../../support/database.ts';
import { stageOn, stateOf, useWorker } from '../../support/staged-workers.ts';
import { usersOf } from '../../support/staging.ts';

it.each([
  [
    'a full disk',
    "raise exception 'could not extend file: No space left on device' using errcode = 'disk_full'",
  ],
  [
    'a lock that others hold',
    "raise exception 'canceling statement due to lock timeout' using errcode = 'lock_not_available'",
  ],
  ['a connection that breaks', 'perform pg_terminate_backend(pg_backend_pid()); return new'],
])('does not fail staged users, however often it occurs: %s', async (_, trouble) => {
  const database = await useTestDatabase();
  const { db } = database;
  await db.query(`create function trouble() returns trigger language plpgsql as $$ begin ${trouble}; end $$`);
  await db.query(
    'create trigger trouble before insert on password_logins for each row execute function trouble()',
  );
  await stageOn(database, usersOf(2));
  const { worker, errors } = useWorker(database);
  for (let round = 1; round <= 4; round += 1) {
    await worker.idle();
    // The worker stops after one batch.
    expect(errors).toHaveLength(round);
  }
  expect(await stateOf(database)).toEqual({ users: 0, emails: 0, staged: { NEW: 2 } });
  await db.query('drop trigger trouble on password_logins');
  await worker.idle();
  expect(await stateOf(database)).toEqual({ users: 2, emails: 2, staged: {} });
  expect(errors).toHaveLength(4);
});

it('does not keep other users waiting if it is about one user', async () => {
  const database = await useTestDatabase();
  const { db } = database;
  await db.query(`create function trouble() returns trigger language plpgsql as
    $$ begin raise exception 'canceling statement due to lock timeout' using errcode = 'lock_not_available'; end $$`);
  await db.query(`create trigger trouble before insert on password_logins
    for each row when (new.email = 'user-5@b.c') execute function trouble()`);
  await stageOn(database, usersOf(20));
  const { worker } = useWorker(database);
  for (let round = 0; round < 10; round += 1) await worker.idle();
  expect(await stateOf(database)).toEqual({ users: 19, emails: 19, staged: { NEW: 1 } });
  await db.query('drop trigger trouble on password_logins');
  await worker.idle();
  expect(await stateOf(database)).toEqual({ users: 20, emails: 20, staged: {} });
});
