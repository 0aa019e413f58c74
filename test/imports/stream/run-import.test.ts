import pg from 'pg';
import { afterAll, expect, it, vi } from 'vitest';
import { testPasswords } from '../../support/app.ts';
import { createTestDatabase } from '../../support/database.ts';
import { BCRYPT } from '../../support/example-hashes.ts';
import { lockWaits } from '../../support/lock-waits.ts';
import { ndjson } from '../../support/ndjson.ts';
import { runStream } from '../import-under-test.ts';

const passwords = testPasswords();
const database = await createTestDatabase();
afterAll(() => database.drop());

/** Runs an import in chunks of two lines. */
function importOf(importId: string, ...names: string[]) {
  const bytes = Buffer.from(
    ndjson(...names.map((name) => ({ email: `${name}@b.c`, passwordHash: BCRYPT.hash }))),
  );
  const pace = { sizes: [bytes.length], pauses: false };
  const limits = { maxLines: 2, maxBytes: 1_000_000, idleMs: 5, maxAgeMs: 250 };
  return runStream(
    { db: database.db, passwords },
    { importId, onConflict: 'update-unchanged', dryRun: false },
    { bytes, pace, limits },
  );
}

/** Locks these addresses as a transaction that is about to create them, and then releases them. */
async function hold(...names: string[]): Promise<{ release(): Promise<void> }> {
  const client = new pg.Client(database.uri);
  await client.connect();
  await client.query('begin');
  for (const name of names) {
    await client.query(
      `insert into password_logins (email, user_id, recipe_user_id, time_joined_ms, password_hash, hash_algorithm, hash_set_by)
       values ($1, gen_random_uuid(), gen_random_uuid(), 0, 'none', 'none', 'user')`,
      [`${name}@b.c`],
    );
  }
  return {
    release: () => client.end(),
  };
}

const reported = ({ results }: { results: { status: string }[] }) => results.map(({ status }) => status);

it("two imports whose chunks need each other's users both complete", async () => {
  const held = await hold('x0', 'y0');
  // The second chunk of each import has a user of the other import's first chunk.
  const all = Promise.all([importOf('a', 'x0', 'y1', 'x1', 'a'), importOf('b', 'y0', 'x1', 'y1', 'b')]);
  await expect.poll(() => lockWaits(database.db)).toBe(2);
  await held.release();
  const [a, b] = await all;
  const rows = await database.db.query('select email from password_logins order by email');
  expect(rows.map(({ email }) => email)).toEqual(
    ['a', 'b', 'x0', 'x1', 'y0', 'y1'].map((name) => `${name}@b.c`),
  );
  expect([...reported(a), ...reported(b)].sort()).toEqual([
    ...Array.from({ length: 6 }, () => 'CREATED'),
    ...Array.from({ length: 2 }, () => 'UPDATED'),
  ]);
});

it('hashes two passwords of one import at a time, however many chunks are in progress', async () => {
  const counting = testPasswords();
  const hash = counting.hash.bind(counting);
  let [atOnce, most] = [0, 0];
  vi.spyOn(counting, 'hash').mockImplementation(async (...args) => {
    atOnce += 1;
    most = Math.max(most, atOnce);
    return hash(...args).finally(() => {
      atOnce -= 1;
    });
  });
  const users = Array.from({ length: 16 }, (_, index) => ({
    loginMethods: [{ recipeId: 'emailpassword', email: `plain-${index}@b.c`, plainTextPassword: 'secret' }],
  }));
  const bytes = Buffer.from(ndjson(...users));
  const report = await runStream(
    { db: database.db, passwords: counting },
    { importId: 'plain', onConflict: 'fail', dryRun: false },
    {
      bytes,
      pace: { sizes: [bytes.length], pauses: false },
      limits: { maxLines: 2, maxBytes: 1_000_000, idleMs: 5, maxAgeMs: 250 },
    },
  );
  expect(reported(report)).toEqual(users.map(() => 'CREATED'));
  expect(counting.hash).toHaveBeenCalledTimes(16);
  expect(most).toBe(2);
});
