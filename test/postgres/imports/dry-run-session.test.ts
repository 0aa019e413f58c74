import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { buildPasswords } from '../../../src/hashing/build-passwords.ts';
import type { Connection } from '../../../src/postgres/client/connection.ts';
import { Database } from '../../../src/postgres/client/database.ts';
import { numbers, passwordLine } from '../../imports/history/rollback-under-test.ts';
import { runStream } from '../../imports/import-under-test.ts';
import { API_KEY, testConfig } from '../../support/app.ts';
import { type TestDatabase, useTestDatabase } from '../../support/database.ts';
import { ndjson } from '../../support/ndjson.ts';

const passwords = buildPasswords(testConfig(), API_KEY);
let database: TestDatabase;
beforeEach(async () => {
  database = await useTestDatabase();
});

/** Notes the plans of all statements that read what was rehearsed. */
class ExplainingDatabase extends Database {
  readonly plans: string[] = [];

  override connection<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    return super.connection((connection) => {
      const query = connection.query.bind(connection);
      connection.query = async (text: string, values?: readonly unknown[]) => {
        if (text.includes('from dry_run_logins')) {
          const lines = await query<{ 'QUERY PLAN': string }>(`explain ${text}`, values);
          this.plans.push(lines.map((line) => line['QUERY PLAN']).join('\n'));
        }
        return query(text, values);
      };
      return work(connection);
    });
  }
}

it('finds what it keeps by its key, however much that is', async () => {
  const db = new ExplainingDatabase({ uri: database.uri, size: 4, timeoutMs: 10_000, onIdleError: () => {} });
  onTestFinished(() => db.close());
  db.engine = database.db.engine;
  const lines = numbers(0, 6000).map((n) => passwordLine(n, 0));
  // Once as new users, which are looked for at once, and once as those of the lines before.
  const bytes = Buffer.from(ndjson(...lines, ...lines));
  const limits = { maxLines: 2000, maxBytes: 1_000_000, idleMs: 1000, maxAgeMs: 60_000 };
  const { summary } = await runStream(
    { db, passwords },
    { importId: 'it', dryRun: true, onConflict: 'overwrite' },
    { bytes, pace: { sizes: [65_536], pauses: false }, limits },
  );
  expect(summary).toMatchObject({ created: 6000, updated: 6000 });
  expect(db.plans.length).toBeGreaterThan(6);
  for (const plan of db.plans) expect(plan).toMatch(/Index (Only )?Scan (using|on) dry_run_logins_pkey/);
});
