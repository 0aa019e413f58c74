import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { holdUpIndexes } from '../postgres/migrate/index-migrations.ts';
import { API_KEY } from '../support/app.ts';
import { compileService, ServiceProcess } from '../support/compiled-service.ts';
import { useTestDatabase } from '../support/database.ts';

const SQL = `-- no transaction
drop index concurrently if exists users_metadata;
create index concurrently users_metadata on users (md5(metadata));
`;

const compiled = await compileService();
await writeFile(join(compiled, 'migrations/9999_index.sql'), SQL);
afterAll(() => rm(compiled, { recursive: true }));

it('builds an index at the next start if the service was killed while it built it', async () => {
  const { uri, db } = await useTestDatabase();
  const release = await holdUpIndexes(uri, 'users');
  const indexState = async () =>
    (
      await db.query<{ valid: boolean }>(
        "select indisvalid as valid from pg_index where indexrelid = to_regclass('users_metadata')",
      )
    )[0]?.valid;
  const building = async () =>
    (
      await db.query<{ pid: number }>(
        "select pid from pg_stat_activity where datname = current_database() and state = 'active' and query ~ '^create index'",
      )
    ).map(({ pid }) => pid);
  const env = { POSTGRESQL_CONNECTION_URI: uri, API_KEYS: API_KEY };
  const first = new ServiceProcess(compiled, env);
  await expect.poll(indexState, { timeout: 10_000 }).toBe(false);
  const left = await building();
  await first.kill();
  // The server has not noticed the kill yet.
  expect(await building()).toEqual(left);

  const second = new ServiceProcess(compiled, env);
  await expect.poll(building, { timeout: 10_000 }).not.toEqual(left);
  await release();
  await second.ready();
  expect(await indexState()).toBe(true);
  expect(await db.query("select from schema_migrations where name = '9999_index.sql'")).toHaveLength(1);
  await second.kill();
});
