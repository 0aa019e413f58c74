import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { ImportRequest } from '../../../src/imports/import-request.ts';
import { until } from '../../../src/lib/async/until.ts';
import type { Connection } from '../../../src/postgres/client/connection.ts';
import { Database } from '../../../src/postgres/client/database.ts';
import { testPasswords } from '../../support/app.ts';
import { IS_CITUS } from '../../support/citus.ts';
import { type TestDatabase, useTestDatabase } from '../../support/database.ts';
import { ndjson } from '../../support/ndjson.ts';
import { runStream } from '../import-under-test.ts';
import { hashNumber } from '../model/model-streams.ts';

const passwords = testPasswords();
const WAIT_MS = 20_000;

/** Database that records whose logins were locked and changed, and the order of new logins and records. */
class RecordingDatabase extends Database {
  readonly locked: string[] = [];
  readonly changed: string[] = [];
  readonly written: ('logins' | 'record')[] = [];

  override connection<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    return super.connection((connection) => {
      const query = connection.query.bind(connection);
      connection.query = async (text: string, values: readonly unknown[] = []) => {
        const rows = await query(text, values);
        const [emails] = values;
        if (text.includes('for no key update') && Array.isArray(emails)) this.locked.push(...emails);
        if (text.includes('update password_logins') && Array.isArray(emails)) this.changed.push(...emails);
        if (text.includes('insert into import_chunks')) this.written.push('record');
        // biome-ignore lint/suspicious/noExplicitAny: the rows are those of the wrapped method
        return rows as any;
      };
      const copy = connection.copy.bind(connection);
      connection.copy = async (copies) => {
        if (copies.some(({ statement }) => /^copy (?:password|third_party)_logins/.test(statement)))
          this.written.push('logins');
        return copy(copies);
      };
      return work(connection);
    });
  }
}

let database: TestDatabase;
let db: RecordingDatabase;
beforeEach(async () => {
  database = await useTestDatabase();
  db = new RecordingDatabase({ uri: database.uri, size: 5, timeoutMs: 10_000, onIdleError: () => {} });
  db.engine = database.db.engine;
  onTestFinished(() => db.close());
});

/** Each line is a chunk of its own. */
function importOf(importId: string, lines: readonly object[], options: Partial<ImportRequest> = {}) {
  const bytes = Buffer.from(ndjson(...lines));
  return runStream(
    { db, passwords },
    { importId, onConflict: 'overwrite', dryRun: false, ...options },
    {
      bytes,
      pace: { sizes: [bytes.length], pauses: false },
      limits: { maxLines: 1, maxBytes: 1_000_000, idleMs: 5, maxAgeMs: 250 },
    },
  );
}

const user = (name: string, hash: number) => ({ email: `${name}@b.c`, passwordHash: hashNumber(hash) });

/** They show that users exist. */
const OTHERS = ['a', 'b', 'c', 'd'].map((name) => user(name, 1));
const BEFORE = [...OTHERS, user('first', 3), user('second', 4)];
const AFTER = [...OTHERS, user('first', 5), user('second', 6)];

/** Lets no transaction write a new hash of the first user until `work` ends, and then does `action`. */
async function whileWriting(
  action: string,
  work: () => Promise<void>,
  event: 'insert' | 'update' = 'update',
): Promise<void> {
  await db.query(`create function stall() returns trigger language plpgsql as $$ begin
    if new.email = 'first@b.c' and new.password_hash = '${hashNumber(5)}' then
      perform pg_advisory_xact_lock(1); ${action}; end if; return new; end $$`);
  await db.query(
    `create trigger stall before ${event} on password_logins for each row execute function stall()`,
  );
  await database.db.transaction(async (client) => {
    await client.query('select pg_advisory_xact_lock(1)');
    await work();
  });
}

const stored = () =>
  db.query(
    `select email, password_hash as "passwordHash" from password_logins
     order by email in ('first@b.c', 'second@b.c'), email`,
  );

// Triggers cannot stall the nodes of Citus.
describe.skipIf(IS_CITUS)('a chunk whose users exist', () => {
  beforeEach(async () => {
    expect(await importOf('before', BEFORE)).toMatchObject({ summary: { created: 6 } });
  });

  it('is written, but not recorded, while the chunk before is written', async () => {
    let report: ReturnType<typeof importOf> | undefined;
    await whileWriting('null', async () => {
      report = importOf('after', AFTER);
      expect(await until(() => db.changed.includes('second@b.c'), WAIT_MS)).toBe(true);
      expect((await stored()).slice(4)).toEqual(BEFORE.slice(4));
    });
    expect(await report).toMatchObject({ error: undefined, summary: { updated: 6 } });
    expect(await stored()).toEqual(AFTER);
  });

  it('waits for the chunk before with logins that it creates, because nobody can lock those', async () => {
    const identity = {
      thirdPartyId: 'google',
      thirdPartyUserId: 'x',
      email: { id: 'x@g.c', isVerified: true },
    };
    const lines = [...AFTER.slice(0, 5), user('new', 7), identity];
    let report: ReturnType<typeof importOf> | undefined;
    await whileWriting('null', async () => {
      report = importOf('after', lines);
      expect(await until(() => db.locked.includes('new@b.c'), WAIT_MS)).toBe(true);
    });
    expect(await report).toMatchObject({ error: undefined, summary: { updated: 5, created: 2 } });
    // The record of the chunk with the first user, and then both new users.
    expect(db.written.slice(-5)).toEqual(['record', 'logins', 'record', 'logins', 'record']);
  });

  it('is not written if the chunk before fails', async () => {
    let report: ReturnType<typeof importOf> | undefined;
    await whileWriting("raise exception 'no'", async () => {
      report = importOf('after', AFTER);
      report.catch(() => {});
      expect(await until(() => db.locked.includes('second@b.c'), WAIT_MS)).toBe(true);
    });
    await expect(report).rejects.toThrow('no');
    expect((await stored()).slice(4)).toEqual(BEFORE.slice(4));
  });

  it('gives its locks back if the chunk before is decided again', async () => {
    let [report, call]: [ReturnType<typeof importOf> | undefined, Promise<unknown> | undefined] = [
      undefined,
      undefined,
    ];
    const conflict = `if not exists (select from calls) then
      raise exception 'deadlock detected' using errcode = 'deadlock_detected'; end if`;
    await whileWriting(conflict, async () => {
      await db.query('create table calls (at timestamptz)');
      report = importOf('after', AFTER);
      expect(await until(() => db.locked.includes('second@b.c'), WAIT_MS)).toBe(true);
      // A call about both users waits for the first one, and then for the second one.
      call = database.db.transaction(async (client) => {
        await client.query(
          "select email from password_logins where email in ('first@b.c', 'second@b.c') order by email for no key update",
        );
        await client.query('insert into calls values (now())');
      });
    });
    await call;
    expect(await report).toMatchObject({ error: undefined, summary: { updated: 6 } });
    expect(await stored()).toEqual(AFTER);
  });
});

describe.skipIf(IS_CITUS)('a chunk of new users', () => {
  const FIRST = user('first', 5);
  const whileCreating = (action: string, work: () => Promise<void>) => whileWriting(action, work, 'insert');
  const waiting = async () => {
    const rows = await db.query(
      `select from pg_stat_activity where datname = current_database() and state = 'idle in transaction'
       and query like '%copy password_logins%'`,
    );
    return rows.length;
  };
  const copied = () => db.written.filter((what) => what === 'logins').length;

  it('is written, but not recorded, while the chunk before is written', async () => {
    let report: ReturnType<typeof importOf> | undefined;
    await whileCreating('null', async () => {
      report = importOf('new', [FIRST, user('second', 6)]);
      expect(await until(() => copied() === 2, WAIT_MS)).toBe(true);
      expect(await stored()).toEqual([]);
    });
    expect(await report).toMatchObject({ error: undefined, summary: { created: 2 } });
    expect(db.written).toEqual(['logins', 'logins', 'record', 'record']);
  });

  it('follows the chunk before if they share a user', async () => {
    const report = await importOf('new', [FIRST, user('first', 6)]);
    expect(report).toMatchObject({ error: undefined, summary: { created: 1, updated: 1 } });
    expect(await stored()).toEqual([user('first', 6)]);
    // The second one is copied in vain.
    expect(db.written).toEqual(['logins', 'record', 'logins', 'record']);
  });

  it('is undone if the chunk before takes too long', async () => {
    let report: ReturnType<typeof importOf> | undefined;
    await whileCreating('null', async () => {
      report = importOf('new', [FIRST, user('second', 6)]);
      // It waits for the chunk before, and then holds nothing.
      await expect.poll(waiting).toBe(1);
      await expect.poll(waiting).toBe(0);
    });
    expect(await report).toMatchObject({ error: undefined, summary: { created: 2 } });
    expect(await stored()).toEqual([FIRST, user('second', 6)]);
  });

  it('is undone if the chunk before has a user who exists', async () => {
    await importOf('before', [user('first', 4)]);
    let report: ReturnType<typeof importOf> | undefined;
    await whileCreating('null', async () => {
      report = importOf('new', [FIRST, user('second', 6)]);
      expect(await until(() => copied() === 3, WAIT_MS)).toBe(true);
    });
    expect(await report).toMatchObject({ error: undefined, summary: { created: 1, updated: 1 } });
    expect(await stored()).toEqual([FIRST, user('second', 6)]);
  });

  it('is not written if the chunk before fails', async () => {
    let report: ReturnType<typeof importOf> | undefined;
    await whileCreating("raise exception 'no'", async () => {
      report = importOf('new', [FIRST, user('second', 6)]);
      report.catch(() => {});
      expect(await until(() => copied() === 2, WAIT_MS)).toBe(true);
    });
    await expect(report).rejects.toThrow('no');
    expect(await stored()).toEqual([]);
  });
});

it('a chunk may free an address that the next one wants, if users are found by external id', async () => {
  const person = (id: string, email: string) => ({
    externalUserId: id,
    loginMethods: [
      { recipeId: 'emailpassword', timeJoinedInMSSinceEpoch: id.charCodeAt(0), ...user(email, 1) },
    ],
  });
  const options = { matchBy: 'externalId' as const, source: 'shop' };
  const before = [person('a', 'a'), person('b', 'b'), person('c', 'c'), person('d', 'd')];
  const after = [person('a', 'a'), person('b', 'new'), person('c', 'b'), person('d', 'b')];
  expect(await importOf('before', before, options)).toMatchObject({ summary: { created: 4 } });
  const dryRun = await importOf('dry', after, { ...options, dryRun: true });
  const report = await importOf('after', after, options);
  const outcomes = report.results.map(({ line, status }) => `${line} ${status}`);
  expect(outcomes).toEqual(['1 SKIPPED', '2 UPDATED', '3 UPDATED', '4 DEFERRED', '4 FAILED']);
  expect(dryRun.results.map(({ line, status }) => `${line} ${status}`)).toEqual(outcomes);
});
