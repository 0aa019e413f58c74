import { beforeEach, describe, expect, it } from 'vitest';
import { until } from '../../../src/lib/async/until.ts';
import { testPasswords } from '../../support/app.ts';
import { IS_CITUS } from '../../support/citus.ts';
import { type TestDatabase, useTestDatabase } from '../../support/database.ts';
import { ndjson } from '../../support/ndjson.ts';
import { runStream } from '../import-under-test.ts';
import { hashNumber } from '../model/model-streams.ts';

const passwords = testPasswords();
const WAIT_MS = 20_000;

let database: TestDatabase;
beforeEach(async () => {
  database = await useTestDatabase();
});

/** Each line is a chunk of its own. Those of the first users show that users exist. */
function importOf(importId: string, lines: Record<string, string>) {
  const users = Object.entries({ ...KNOWN, ...lines }).map(([email, passwordHash]) => ({
    email,
    passwordHash,
  }));
  const bytes = Buffer.from(ndjson(...users));
  return runStream(
    { db: database.db, passwords },
    { importId, onConflict: 'overwrite', dryRun: false },
    {
      bytes,
      pace: { sizes: [bytes.length], pauses: false },
      limits: { maxLines: 1, maxBytes: 1_000_000, idleMs: 5, maxAgeMs: 250 },
    },
  );
}

/** Lets no transaction change the login of the first user until `work` ends, and then does `action`. */
async function whileWriting(action: string, work: () => Promise<void>): Promise<void> {
  const { db } = database;
  await db.query(`create function stall() returns trigger language plpgsql as $$ begin
    if new.email = 'first@b.c' then perform pg_advisory_xact_lock(1); ${action}; end if; return new; end $$`);
  await db.query(
    'create trigger stall before update on password_logins for each row execute function stall()',
  );
  await db.transaction(async (client) => {
    await client.query('select pg_advisory_xact_lock(1)');
    await work();
  });
}

const lockedEmails = async () => {
  const free = await database.db.query<{ email: string }>(
    'select email from password_logins for no key update skip locked',
  );
  return ['first@b.c', 'second@b.c'].filter((email) => !free.some((row) => row.email === email));
};

const KNOWN = { 'a@b.c': hashNumber(5), 'b@b.c': hashNumber(6) };

const stored = async () => {
  const rows = await database.db.query<{ email: string; password_hash: string }>(
    'select email, password_hash from password_logins order by email',
  );
  const all = Object.fromEntries(rows.map((row) => [row.email, row.password_hash]));
  return { 'first@b.c': all['first@b.c'], 'second@b.c': all['second@b.c'] };
};

const BEFORE = { 'first@b.c': hashNumber(1), 'second@b.c': hashNumber(2) };
const AFTER = { 'first@b.c': hashNumber(3), 'second@b.c': hashNumber(4) };

// Triggers cannot stall the nodes of Citus.
describe.skipIf(IS_CITUS)('a chunk whose users exist', () => {
  beforeEach(async () => {
    expect(await importOf('before', BEFORE)).toMatchObject({ summary: { created: 4 } });
  });

  it('is read, but not written, while the chunk before is written', async () => {
    let report: ReturnType<typeof importOf> | undefined;
    await whileWriting('null', async () => {
      report = importOf('after', AFTER);
      expect(await until(async () => (await lockedEmails()).length === 2, WAIT_MS)).toBe(true);
      expect(await stored()).toEqual(BEFORE);
    });
    expect(await report).toMatchObject({ error: undefined, summary: { updated: 4 } });
    expect(await stored()).toEqual(AFTER);
  });

  it('is not written if the chunk before fails', async () => {
    let report: ReturnType<typeof importOf> | undefined;
    await whileWriting("raise exception 'no'", async () => {
      report = importOf('after', AFTER);
      report.catch(() => {});
      expect(await until(async () => (await lockedEmails()).length === 2, WAIT_MS)).toBe(true);
    });
    await expect(report).rejects.toThrow('no');
    expect([await stored(), await lockedEmails()]).toEqual([BEFORE, []]);
  });
});
