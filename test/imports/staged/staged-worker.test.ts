import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { AppError } from '../../../src/lib/errors.ts';
import type { Connection } from '../../../src/postgres/client/connection.ts';
import { Database } from '../../../src/postgres/client/database.ts';
import { type Claim, claimStaged } from '../../../src/postgres/staged/claim-staged.ts';
import { blockImports, waitUntil } from '../../faults/postgres.ts';
import { IS_CITUS } from '../../support/citus.ts';
import { type TestDatabase, useTestDatabase } from '../../support/database.ts';
import { ARGON2, EXTERNAL_SCRYPT } from '../../support/example-hashes.ts';
import { spiedPasswords } from '../../support/spied-passwords.ts';
import { stageOn, stateOf, useWorker } from '../../support/staged-workers.ts';
import { userOf, usersOf } from '../../support/staging.ts';
import { PASSWORD } from '../../support/user-forms.ts';

/** Claims users, and then waits for `meanwhile`. */
class LateDatabase extends Database {
  readonly #meanwhile: () => Promise<void>;

  constructor(uri: string, meanwhile: () => Promise<void>) {
    super({ uri, size: 1, timeoutMs: 30_000, onIdleError: () => {} });
    this.#meanwhile = meanwhile;
    onTestFinished(() => this.close());
  }

  override connection<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    return super.connection((connection) => {
      const query = connection.query.bind(connection);
      connection.query = async (text: string, values?: readonly unknown[]) => {
        if (!text.includes('for update') || text.includes('skip locked')) return query(text, values);
        await this.#meanwhile();
        return query(text, values);
      };
      return work(connection);
    });
  }
}

let database: TestDatabase;
beforeEach(async () => {
  database = await useTestDatabase();
});

const sum = (numbers: readonly number[]) => numbers.reduce((a, b) => a + b, 0);
const query = (sql: string) => database.db.query<Record<string, unknown>>(sql);
const letLeasesRunOut = () => query("update staged_users set claimed_until = now() - interval '1 s'");
const failures = async () =>
  (await query("select error_message from staged_users where status = 'FAILED' order by id")).map(
    ({ error_message }) => error_message,
  );

describe('several workers', () => {
  it('share the staged users, and each user is imported once', async () => {
    await stageOn(database, usersOf(5000));
    const workers = [useWorker(database), useWorker(database)];
    await Promise.all(workers.map(({ worker }) => worker.idle()));
    expect(await stateOf(database)).toEqual({ users: 5000, emails: 5000, staged: {} });
    const created = workers.map(({ batches }) => sum(batches));
    expect(sum(created)).toBe(5000);
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

  it('take over from a dead worker after its lease has expired', async () => {
    await stageOn(database, usersOf(1200));
    expect((await claimStaged(database.db))?.ids).toHaveLength(1000);
    const { worker } = useWorker(database);
    await worker.idle();
    expect(await stateOf(database)).toEqual({ users: 200, emails: 200, staged: { PROCESSING: 1000 } });
    await letLeasesRunOut();
    await worker.idle();
    expect(await stateOf(database)).toEqual({ users: 1200, emails: 1200, staged: {} });
  });

  it('do not wait for users that another worker has claimed', async () => {
    await stageOn(database, usersOf(20));
    await database.db.transaction(async (other) => {
      await other.query('select from staged_users order by id limit 5 for update');
      expect((await claimStaged(database.db))?.ids).toHaveLength(15);
      expect(await claimStaged(database.db)).toBeUndefined();
    });
  });

  it('skip users that were taken over because the worker was late', async () => {
    await stageOn(database, usersOf(30));
    let other: Claim | undefined;
    const takeOver = async () => {
      await letLeasesRunOut();
      other = await claimStaged(database.db);
    };
    const { worker, batches, errors } = useWorker(database, { db: new LateDatabase(database.uri, takeOver) });
    await worker.idle();
    expect([other?.ids.length, batches, errors]).toEqual([30, [0], []]);
    expect(await stateOf(database)).toEqual({ users: 0, emails: 0, staged: { PROCESSING: 30 } });
  });

  it('import nothing twice if a living worker is late', async () => {
    await stageOn(database, usersOf(300));
    const block = await blockImports(database.uri);
    const [late, other] = [useWorker(database), useWorker(database)];
    late.worker.wake();
    await waitUntil(async () => (await block.blocked()) > 0);
    // Waits for the rows that the worker holds, until its transaction starts again.
    await letLeasesRunOut();
    other.worker.wake();
    await block.release();
    await Promise.all([late.worker.idle(), other.worker.idle()]);
    expect(await stateOf(database)).toEqual({ users: 300, emails: 300, staged: {} });
    expect(sum([...late.batches, ...other.batches])).toBe(300);
    expect([...late.errors, ...other.errors]).toEqual([]);
  });
});

describe('a user that fails every attempt', () => {
  it('fails alone after five attempts, and the others are imported', async () => {
    await query(`create function refuse() returns trigger language plpgsql as
      $$ begin raise exception 'refused %', new.email; end $$`);
    await query(`create trigger refuse before insert on password_logins
      for each row when (new.email in ('user-77@b.c', 'user-1900@b.c')) execute function refuse()`);
    await stageOn(database, usersOf(2100));
    const { worker, errors } = useWorker(database);
    await worker.idle();
    expect(await stateOf(database)).toEqual({ users: 2098, emails: 2098, staged: { FAILED: 2 } });
    const message = 'The user could not be imported in 5 attempts. The log of the service says why.';
    expect(
      await query(
        `select user_form::jsonb->'loginMethods'->0->>'email' as email, error_message, hashes, attempts
         from staged_users order by id`,
      ),
    ).toEqual([
      { email: 'user-77@b.c', error_message: message, hashes: [], attempts: 5 },
      { email: 'user-1900@b.c', error_message: message, hashes: [], attempts: 5 },
    ]);
    // Citus does not pass on the SQLSTATE of a failed COPY.
    const code = IS_CITUS ? 'XX000' : 'P0001';
    expect(errors.map((error) => (error as { code?: string }).code)).toEqual(Array(10).fill(code));
  });

  it('is separated from the others if it ends the whole process each time', async () => {
    await stageOn(database, usersOf(1500));
    const sizes: (number | undefined)[] = [];
    // The first user ends the process, together with everybody who was claimed with it.
    for (;;) {
      const claim = await claimStaged(database.db);
      if (claim === undefined) break;
      const [culprit] = await query('select id, attempts from staged_users order by id limit 1');
      if (claim.ids.includes(String(culprit?.id))) sizes.push(claim.ids.length);
      else await query(`delete from staged_users where claimed_by = '${claim.token}'`);
      await letLeasesRunOut();
    }
    expect(sizes).toEqual([1000, 100, 10, 1, 1]);
    expect(await failures()).toEqual([
      expect.stringMatching(/^The user could not be imported in 5 attempts/),
    ]);
    expect((await stateOf(database)).staged).toEqual({ FAILED: 1 });
  });
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

it('claims fewer users if they are large', async () => {
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
