import { beforeEach, describe, expect, it, vi } from 'vitest';
import { AppError } from '../../../src/lib/errors.ts';
import { blockImports, waitUntil } from '../../faults/postgres.ts';
import { IS_CITUS } from '../../support/citus.ts';
import { type TestDatabase, useTestDatabase } from '../../support/database.ts';
import { ARGON2, EXTERNAL_SCRYPT } from '../../support/example-hashes.ts';
import { spiedPasswords } from '../../support/spied-passwords.ts';
import { stageOn, stateOf, useWorker } from '../../support/staged-workers.ts';
import { userOf, usersOf } from '../../support/staging.ts';
import { PASSWORD } from '../../support/user-forms.ts';

let database: TestDatabase;
beforeEach(async () => {
  database = await useTestDatabase();
});

const sum = (numbers: readonly number[]) => numbers.reduce((a, b) => a + b, 0);
const query = (sql: string) => database.db.query<Record<string, unknown>>(sql);
const failures = async () =>
  (await query("select error_message from staged_users where status = 'FAILED' order by id")).map(
    ({ error_message }) => error_message,
  );

describe('several workers', () => {
  it('share the staged users, and each user is imported once', async () => {
    await stageOn(database, usersOf(3000));
    const workers = [useWorker(database), useWorker(database)];
    await Promise.all(workers.map(({ worker }) => worker.idle()));
    expect(await stateOf(database)).toEqual({ users: 3000, emails: 3000, staged: {} });
    const created = workers.map(({ batches }) => sum(batches));
    expect(sum(created)).toBe(3000);
    expect(Math.min(...created)).toBeGreaterThan(0);
    expect(workers.flatMap(({ errors }) => errors)).toEqual([]);
  });

  it('create a user once that several of them import, and report the conflict', async () => {
    await stageOn(database, [...usersOf(1500), ...usersOf(1500).reverse()]);
    const workers = [useWorker(database), useWorker(database), useWorker(database)];
    await Promise.all(workers.map(({ worker }) => worker.idle()));
    expect(await stateOf(database)).toEqual({ users: 1500, emails: 1500, staged: { FAILED: 1500 } });
    expect(new Set(await failures()).size).toBe(1500);
    expect(workers.flatMap(({ errors }) => errors)).toEqual([]);
  });

  it('do not wait for users whom another worker imports', async () => {
    await stageOn(database, usersOf(20));
    const { worker } = useWorker(database);
    await database.db.transaction(async (other) => {
      await other.query('select from staged_users order by id limit 5 for update');
      await worker.idle();
      expect(await stateOf(database)).toEqual({ users: 15, emails: 15, staged: { NEW: 5 } });
    });
    await worker.idle();
    expect(await stateOf(database)).toEqual({ users: 20, emails: 20, staged: {} });
  });

  it('import nothing twice if a living worker is late', async () => {
    await stageOn(database, usersOf(300));
    const block = await blockImports(database.uri);
    const [late, other] = [useWorker(database), useWorker(database)];
    late.worker.wake();
    await waitUntil(async () => (await block.blocked()) > 0);
    other.worker.wake();
    await block.release();
    await Promise.all([late.worker.idle(), other.worker.idle()]);
    expect(await stateOf(database)).toEqual({ users: 300, emails: 300, staged: {} });
    expect(sum([...late.batches, ...other.batches])).toBe(300);
    expect([...late.errors, ...other.errors]).toEqual([]);
  });
});

describe('an instance of version 0.2.0', () => {
  const TOKEN = '01890000-0000-4000-8000-000000000001';
  const claim = (until: string) =>
    query(`update staged_users set status = 'PROCESSING', attempts = 5, claimed_by = '${TOKEN}', claimed_until = ${until}
      where id in (select id from staged_users where status = 'NEW' order by id limit 1000 for update skip locked)`);
  const letClaimsExpire = () => query("update staged_users set claimed_until = now() - interval '1 s'");
  const CLAIMED = `select id from staged_users where claimed_by = '${TOKEN}' order by id for update`;

  it('imports the users it has claimed, unless it dies', async () => {
    await stageOn(database, usersOf(1200));
    await claim("now() + interval '1 hour'");
    const { worker } = useWorker(database);
    await worker.idle();
    expect(await stateOf(database)).toEqual({ users: 200, emails: 200, staged: { PROCESSING: 1000 } });
    await letClaimsExpire();
    await worker.idle();
    expect(await stateOf(database)).toEqual({ users: 1200, emails: 1200, staged: {} });
  });

  it('keeps the users that it is importing when its claim expires', async () => {
    await stageOn(database, usersOf(30));
    await claim('now()');
    const { worker } = useWorker(database);
    await database.db.transaction(async (other) => {
      expect(await other.query(CLAIMED)).toHaveLength(30);
      await worker.idle();
    });
    expect(await stateOf(database)).toEqual({ users: 0, emails: 0, staged: { PROCESSING: 30 } });
  });

  it('finds no users that were taken over from it', async () => {
    await stageOn(database, [...usersOf(30), userOf('user-0@b.c')]);
    await claim('now()');
    const block = await blockImports(database.uri);
    const { worker, errors } = useWorker(database);
    worker.wake();
    await waitUntil(async () => (await block.blocked()) > 0);
    const late = query(CLAIMED);
    await block.release();
    expect(await late).toEqual([]);
    await worker.idle();
    expect(await stateOf(database)).toEqual({ users: 30, emails: 30, staged: { FAILED: 1 } });
    expect(errors).toEqual([]);
  });
});

it('a user whom the database cannot take fails alone, and the others are imported', async () => {
  await query(`create function refuse() returns trigger language plpgsql as
    $$ begin raise exception 'refused %', new.email; end $$`);
  await query(`create trigger refuse before insert on password_logins
    for each row when (new.email in ('user-77@b.c', 'user-1900@b.c')) execute function refuse()`);
  await stageOn(database, usersOf(2100));
  const { worker, errors } = useWorker(database);
  await worker.idle();
  expect(await stateOf(database)).toEqual({ users: 2098, emails: 2098, staged: { FAILED: 2 } });
  const message = 'The user could not be imported. The log of the service says why.';
  expect(
    await query(
      `select user_form::jsonb->'loginMethods'->0->>'email' as email, error_message, hashes
       from staged_users order by id`,
    ),
  ).toEqual([
    { email: 'user-77@b.c', error_message: message, hashes: [] },
    { email: 'user-1900@b.c', error_message: message, hashes: [] },
  ]);
  // Citus does not pass on the SQLSTATE of a failed COPY.
  const code = IS_CITUS ? 'XX000' : 'P0001';
  // Batches of 1000, 500, 250, … 2, 1.
  expect(errors.map((error) => (error as { code?: string }).code)).toEqual(Array(22).fill(code));
});

describe('a user that was accepted but can no longer be verified', () => {
  it.each([
    [
      { config: { hashing_max_ms: 100 } },
      [/^Password hash cost is not allowed: .*hashing_max_ms/],
      ['scrypt@b.c'],
    ],
    [{ signerKey: '' }, [/'external_password_hashing_signer_key' is not configured/], ['argon2@b.c']],
  ])('fails with the reason: %j', async (options, reasons, created) => {
    await stageOn(database, [
      {
        loginMethods: [
          {
            ...PASSWORD,
            email: 'argon2@b.c',
            passwordHash: ARGON2.hash.replace('m=64,p=1,t=1', 'm=65536,p=1,t=3'),
            hashingAlgorithm: 'argon2',
          },
        ],
      },
      {
        loginMethods: [
          {
            ...PASSWORD,
            email: 'scrypt@b.c',
            passwordHash: EXTERNAL_SCRYPT.hash,
            hashingAlgorithm: 'firebase_scrypt',
          },
        ],
      },
    ]);
    await useWorker(database, options).worker.idle();
    expect(await failures()).toEqual(reasons.map((reason) => expect.stringMatching(reason)));
    expect((await query('select email from password_logins')).map(({ email }) => email)).toEqual(created);
  });
});

describe('a stop', () => {
  it('lets the current batch finish, and begins no other', async () => {
    await stageOn(database, usersOf(1500));
    const block = await blockImports(database.uri);
    const { worker } = useWorker(database);
    worker.start();
    await waitUntil(async () => (await block.blocked()) > 0);
    let hasStopped = false;
    const stopping = worker.stop().then(() => {
      hasStopped = true;
    });
    await query('select 1');
    expect(hasStopped).toBe(false);
    await block.release();
    await stopping;
    expect(await stateOf(database)).toEqual({ users: 1000, emails: 1000, staged: { NEW: 500 } });
    await worker.idle();
    expect((await stateOf(database)).staged).toEqual({ NEW: 500 });
  });
});

it('finds users that other instances staged', async () => {
  const { worker } = useWorker(database);
  worker.start();
  await worker.idle();
  await stageOn(database, usersOf(10));
  await vi.waitFor(async () => expect((await stateOf(database)).users).toBe(10), 10_000);
  expect(await stateOf(database)).toEqual({ users: 10, emails: 10, staged: {} });
});

it('continues after the database was away', async () => {
  const away = new AppError('STORAGE_UNAVAILABLE', 'Storage is unavailable');
  let calls = 0;
  const { worker, errors } = useWorker(database, {
    store: (real) => ({
      ...real,
      async processNext(work) {
        calls += 1;
        if (calls === 1) throw away;
        return real.processNext(work);
      },
    }),
  });
  await stageOn(database, usersOf(10));
  await worker.idle();
  expect([calls, errors]).toEqual([1, [away]]);
  await worker.idle();
  expect((await stateOf(database)).users).toBe(10);
});

it('imports fewer users at a time if they are large', async () => {
  await stageOn(
    database,
    usersOf(300).map((user) => ({ ...user, userMetadata: { text: 'x'.repeat(60_000) } })),
  );
  const { worker, batches } = useWorker(database);
  await worker.idle();
  expect(sum(batches)).toBe(300);
  expect(Math.max(...batches)).toBeLessThanOrEqual(Math.ceil((8 * 1024 * 1024) / 60_000));
});

it('skips a user who is being removed, unless the removal comes too late', async () => {
  await stageOn(database, [userOf('a@b.c'), userOf('b@b.c')]);
  const block = await blockImports(database.uri);
  const { worker, staged } = useWorker(database);
  worker.wake();
  await waitUntil(async () => (await block.blocked()) > 0);
  const [last] = (await staged.list({ limit: 1, maxBytes: 1 })).users;
  const removing = staged.remove([last?.id ?? '']);
  await block.release();
  const removed = await removing;
  await worker.idle();
  const emails = (await query('select email from password_logins order by email')).map(({ email }) => email);
  expect(emails).toEqual(removed.size === 1 ? ['a@b.c'] : ['a@b.c', 'b@b.c']);
  expect((await stateOf(database)).staged).toEqual({});
});

it('teaches decoys the hashes it stores, so that unknown addresses cost as much to try', async () => {
  await stageOn(database, usersOf(50));
  const { passwords, work } = spiedPasswords();
  await useWorker(database, { passwords }).worker.idle();
  for (let index = 0; index < 20; index += 1) await passwords.verifyDecoy(`${index}@b.c`, Buffer.from('any'));
  expect(new Set(work)).toEqual(new Set(['$2b$04$.....................................................']));
});
