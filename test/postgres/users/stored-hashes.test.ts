import { afterAll, expect, it } from 'vitest';
import type { Queryable } from '../../../src/postgres/client/connection.ts';
import { sampleHashes } from '../../../src/postgres/users/stored-hashes.ts';
import { IS_CITUS } from '../../support/citus.ts';
import { createTestDatabase, useTestDatabase } from '../../support/database.ts';

/** In the order of a migration, one former system after the other. */
const ADD = `
  insert into password_logins (email, user_id, recipe_user_id, time_joined_ms, password_hash, hash_algorithm)
  select $1 || n, gen_random_uuid(), gen_random_uuid(), 0, rpad('', 60, 'x'), $1 from generate_series(1, $2::int) n`;

/** Has many users until the last test with it removes them. */
const { db, drop } = await createTestDatabase();
await db.query(ADD, ['argon2', 30_000]);
await db.query(ADD, ['bcrypt', 10_000]);
afterAll(() => drop());

it('samples users at random, wherever their rows are', async () => {
  const { hashes, standFor } = await sampleHashes(db, 256);
  expect(hashes).toHaveLength(256);
  const share = hashes.filter(({ algorithm }) => algorithm === 'argon2').length / hashes.length;
  expect(standFor * 256).toBeGreaterThan(20_000);
  expect(standFor * 256).toBeLessThan(80_000);
  // The share deviates by 0.04: half of that by the choice of pages, half by that of rows.
  expect(Math.abs(share - 0.75)).toBeLessThan(0.25);
});

it.skipIf(IS_CITUS)(
  'reads a part of a large table (not on Citus, which does not report how many rows its nodes read)',
  async () => {
    const plans: string[] = [];
    const explaining: Queryable = {
      engine: db.engine,
      async query(text, values) {
        if (!text.includes('tablesample')) return db.query(text, values);
        const [row] = await db.query<{ 'QUERY PLAN': unknown }>(
          `explain (analyze, format json) ${text}`,
          values,
        );
        plans.push(JSON.stringify(row?.['QUERY PLAN']));
        return [];
      },
    };
    await sampleHashes(explaining, 256);
    const [, rows] = /"Node Type":"Sample Scan".*"Actual Rows":(\d+)/.exec(plans[0] ?? '') ?? [];
    expect(Number(rows)).toBeGreaterThan(2000);
    expect(Number(rows)).toBeLessThan(20_000);
  },
);

it('samples the few remaining users after most were removed', async () => {
  await db.query("delete from password_logins where email not like 'argon2777%'");
  expect((await sampleHashes(db, 5)).hashes).toHaveLength(5);
  await db.query('delete from password_logins');
  expect(await sampleHashes(db, 5)).toEqual({ hashes: [], standFor: 0 });
});

it('reads small tables completely', async () => {
  const { db } = await useTestDatabase();
  await db.query(ADD, ['argon2', 20]);
  await db.query(ADD, ['bcrypt', 20]);
  expect((await sampleHashes(db, 10)).standFor).toBe(4);
  const { hashes } = await sampleHashes(db, 40);
  expect(hashes.filter(({ algorithm }) => algorithm === 'bcrypt')).toHaveLength(20);
});
