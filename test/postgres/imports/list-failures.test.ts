import { expect, it } from 'vitest';
import { listFailures } from '../../../src/postgres/imports/list-imports.ts';
import { useTestDatabase } from '../../support/database.ts';

/** An import whose chunks have one failed line of a code each, or many. */
const CHUNKS = `
  insert into import_failures (import_id, last_line, code, count, lines)
  select 'it', 1000 * n, code, failed, (
    select jsonb_agg(jsonb_build_array(1000 * n - failed + k, 'a message')) from generate_series(1, failed) k)
  from generate_series(1, 3000) n, (values ('FIELD_INVALID'), ('LINE_TOO_LONG')) codes (code),
    lateral (select case when n % 2 = 0 then 400 else 1 end as failed) sizes
  where code = 'FIELD_INVALID' or n = 2999`;

it.each([false, true])('reads no more rows than a page needs; analysed: %s', async (isAnalysed) => {
  const { db } = await useTestDatabase();
  await db.query(
    "insert into imports (import_id, key_name, dry_run, on_conflict, owner) values ('it', 'k', false, 'fail', gen_random_uuid())",
  );
  await db.query(CHUNKS);
  if (isAnalysed) await db.query('analyze');
  const rowsRead = async (page: Parameters<typeof listFailures>[2]) => {
    const plans: Plan[] = [];
    const explaining = {
      engine: db.engine,
      async query<Row>(text: string, values: readonly unknown[] = []) {
        const [row] = await db.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
          `explain (analyze, format json) ${text}`,
          values,
        );
        if (row !== undefined) plans.push(row['QUERY PLAN'][0].Plan);
        return db.query<Row & Record<string, unknown>>(text, values);
      },
    };
    const found = await listFailures(explaining, 'it', page);
    const scans = plans.flatMap(nodes).filter((plan) => plan['Relation Name'] === 'import_failures');
    expect(scans.map((plan) => plan['Node Type'])).not.toContain('Seq Scan');
    return { found, rows: scans.reduce((sum, plan) => sum + plan['Actual Rows'] * plan['Actual Loops'], 0) };
  };
  for (const start of [1, 1_500_000, 2_900_000]) {
    for (const code of [undefined, 'FIELD_INVALID']) {
      const { found, rows } = await rowsRead({ start, limit: 50, ...(code && { code }) });
      expect(found).toMatchObject({ failures: { length: 50 }, next: expect.any(Number) });
      expect(rows).toBeLessThanOrEqual(isAnalysed ? 52 : 3001);
    }
  }
  const rare = await rowsRead({ start: 1, limit: 50, code: 'LINE_TOO_LONG' });
  expect(rare).toMatchObject({ found: { failures: [{ line: 2_999_000 }] }, rows: 1 });
});

interface Plan {
  'Node Type': string;
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  Plans?: Plan[];
}

const nodes = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodes)];
