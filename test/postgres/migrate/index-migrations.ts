import pg from 'pg';
import { onTestFinished } from 'vitest';
import type { Database } from '../../../src/postgres/client/database.ts';
import type { Migration } from '../../../src/postgres/migrate/apply-migrations.ts';

export const TABLE: Migration = {
  version: 1,
  name: '0001_table.sql',
  sql: 'create table numbers (n integer); insert into numbers select generate_series(1, 100)',
};

export const INDEX: Migration = {
  version: 2,
  name: '0002_index.sql',
  sql: `-- no transaction
-- Numbers are looked for.
drop index concurrently if exists numbers_n;
create unique index concurrently numbers_n on numbers (n);
`,
};

/** Fails if the index is not ready. */
export const USES_INDEX: Migration = {
  version: 3,
  name: '0003_uses_index.sql',
  sql: 'alter table numbers add constraint numbers_key unique using index numbers_n',
};

export const MIGRATIONS = [TABLE, INDEX, USES_INDEX];
export const NAMES = MIGRATIONS.map(({ name }) => name);

/** Returns whether the index is valid, or undefined if it does not exist. */
export async function indexState(db: Database): Promise<boolean | undefined> {
  const [row] = await db.query<{ valid: boolean }>(
    "select indisvalid as valid from pg_index join pg_class on oid = indexrelid where relname in ('numbers_n', 'numbers_key')",
  );
  return row?.valid;
}

/**
 * Blocks the completion of indexes on `table`, as a transaction does that has written to it. Returns a
 * function that unblocks them. The end of the test unblocks them, too.
 */
export async function holdUpIndexes(uri: string, table = 'numbers'): Promise<() => Promise<void>> {
  const client = new pg.Client(uri);
  await client.connect();
  await client.query('begin');
  await client.query(`lock table ${table} in row exclusive mode`);
  let released: Promise<void> | undefined;
  const release = () => {
    released ??= client.end();
    return released;
  };
  onTestFinished(release);
  return release;
}
