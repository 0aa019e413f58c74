import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import type { Config } from '../../src/config/schema.ts';
import { createLogger } from '../../src/lib/log.ts';
import { readMigrations } from '../../src/postgres/migrate/apply-migrations.ts';
import { type ServiceOptions, startService } from '../../src/service/start.ts';
import { API_KEY, testConfig } from '../support/app.ts';
import { useTestDatabase } from '../support/database.ts';
import { ImportStream } from '../support/import-stream.ts';
import { fastDirectory } from '../support/scratch.ts';

const BCRYPT = '$2b$04$CCCCCCCCCCCCCCCCCCCCC.2qEx6VDzW/1gZVPz1yxtxnopI9gvYHG';

function options(config: Partial<Config>, lines: string[] = []): ServiceOptions {
  return {
    config: testConfig({ port: 0, host: '127.0.0.1', ...config }),
    logger: createLogger('info', { write: (line) => void lines.push(line) }),
    migrations: readMigrations(),
    version: '0.0.0-test',
    onFatal: (error) => {
      throw error;
    },
  };
}

const messagesOf = (lines: string[]) => lines.map((line) => JSON.parse(line).msg);

/** Counts the connections of the service to this database. */
async function connectionsTo(uri: string): Promise<number> {
  const client = new pg.Client(uri);
  await client.connect();
  const { rowCount } = await client.query(
    `select from pg_stat_activity where datname = current_database()
     and application_name = 'user-import-core' and pid <> pg_backend_pid() and state is not null`,
  );
  await client.end();
  return rowCount ?? 0;
}

it('closes its database connections if it cannot listen', async () => {
  const { uri } = await useTestDatabase();
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  onTestFinished(() => void other.close());
  const { port } = other.address() as AddressInfo;
  await expect(startService(options({ postgresql_connection_uri: uri, port }))).rejects.toMatchObject({
    code: 'EADDRINUSE',
  });
  await expect.poll(() => connectionsTo(uri)).toBe(0);
});

it('stops the embedded database if a later step fails', async () => {
  const directory = await mkdtemp(join(fastDirectory(), 'uic-start-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  const { postgresql_connection_uri: _, ...withoutUri } = testConfig();
  const start = startService({
    ...options({}),
    config: { ...withoutUri, embedded_postgres_dir: join(directory, 'postgres'), migrate_on_start: false },
  });
  await expect(start).rejects.toThrow('the database is at version 0');
  const started = await startService({
    ...options({}),
    config: { ...withoutUri, port: 0, host: '127.0.0.1', embedded_postgres_dir: join(directory, 'postgres') },
  });
  onTestFinished(async () => {
    if (started.embedded?.relocated) await rm(started.embedded.directory, { recursive: true });
  });
  expect(started.createdKey).toBeUndefined();
  const pidFile = join(started.embedded?.directory ?? '', 'data/postmaster.pid');
  expect(await readFile(pidFile, 'utf8')).toContain('ready');
  await started.stop();
  await expect(readFile(pidFile)).rejects.toMatchObject({ code: 'ENOENT' });
});

it('deletes expired replaced values as soon as it starts', async () => {
  const { uri, db } = await useTestDatabase();
  await db.query(
    `insert into import_changes (import_id, written_at, kind, changes, broken_hashes)
     select days::text, now() - days * interval '1 day', 'rows', '[]', 0 from unnest(array[1, 4, 6]) days`,
  );
  const service = await startService(options({ postgresql_connection_uri: uri, import_undo_days: 5 }));
  onTestFinished(() => service.stop());
  const kept = async () =>
    (await db.query('select import_id from import_changes order by 1')).map((row) => row.import_id);
  await expect.poll(kept).toEqual(['1', '4']);
});

it('rolls back while dry runs hold all connections that streams may use', async () => {
  const { uri } = await useTestDatabase();
  const service = await startService(options({ postgresql_connection_uri: uri, bulk_import_connections: 1 }));
  onTestFinished(() => service.stop());
  const user = `${JSON.stringify({ email: 'a@b.c', passwordHash: BCRYPT })}\n`;
  const written = new ImportStream(service.url, '?importId=it').end(user);
  expect((await written.finished()).summary).toMatchObject({ created: 1 });
  const dry_run_logins = new ImportStream(service.url, '?dryRun=true');
  dry_run_logins.write(user);
  await expect.poll(() => dry_run_logins.report.results).toHaveLength(1);
  const rollback = await fetch(`${service.url}/bulk-import/imports/it/rollback`, {
    method: 'POST',
    headers: { 'api-key': API_KEY },
  });
  expect([rollback.status, await rollback.json()]).toMatchObject([200, { status: 'OK' }]);
  dry_run_logins.end();
  expect((await dry_run_logins.finished()).summary).toMatchObject({ skipped: 0, lines: 1 });
});

it('does not change the schema if migrations are disabled', async () => {
  const { uri, db } = await useTestDatabase({ empty: true });
  const start = startService(options({ postgresql_connection_uri: uri, migrate_on_start: false }));
  await expect(start).rejects.toThrow(
    `the database is at version 0, this code needs ${readMigrations().length}: run "user-import-core migrate"`,
  );
  expect(await db.query("select from pg_class where relnamespace = 'public'::regnamespace")).toEqual([]);
});

it('refuses the database of a newer release', async () => {
  const { uri, db } = await useTestDatabase();
  await db.query(
    "insert into schema_migrations (version, name, checksum) values (9999, '9999_later.sql', 'x')",
  );
  await expect(startService(options({ postgresql_connection_uri: uri }))).rejects.toThrow(
    'the database is newer than this code: it has migration 9999_later.sql',
  );
});

it('creates the schema, listens, and releases everything when it stops', async () => {
  const { uri } = await useTestDatabase({ empty: true });
  const lines: string[] = [];
  const service = await startService(options({ postgresql_connection_uri: uri }, lines));
  expect(service.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  expect([service.createdKey, service.embedded]).toEqual([undefined, undefined]);
  expect(messagesOf(lines)).toContain('applied a migration');

  const response = await fetch(`${service.url}/recipe/user/passwordhash/import`, {
    method: 'POST',
    headers: { 'api-key': API_KEY, 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'a@b.c', passwordHash: BCRYPT }),
  });
  expect(response.status).toBe(200);
  expect(await (await fetch(`${service.url}/health/ready`)).json()).toEqual({ status: 'ok' });

  await service.stop();
  await service.stop();
  await expect(fetch(`${service.url}/hello`)).rejects.toThrow();
  await expect.poll(() => connectionsTo(uri)).toBe(0);
  expect(messagesOf(lines)).not.toContain('a step of the stop failed');

  const again: string[] = [];
  const second = await startService(options({ postgresql_connection_uri: uri }, again));
  await second.stop();
  expect(messagesOf(again)).not.toContain('applied a migration');
});

it('starts many instances at once on an empty database', async () => {
  const { uri } = await useTestDatabase({ empty: true });
  const config = { postgresql_connection_uri: uri, postgresql_connection_pool_size: 2 };
  const services = await Promise.all(Array.from({ length: 4 }, () => startService(options(config))));
  const answers = await Promise.all(
    services.map(async ({ url }) => (await fetch(`${url}/health/ready`)).status),
  );
  expect(answers).toEqual(Array(4).fill(200));
  await Promise.all(services.map((service) => service.stop()));
});

it('reports which secrets are needed but not configured, and for how many users', async () => {
  const { uri, db } = await useTestDatabase();
  const add = (label: string, algorithm: string, secretId: string | null, count: number) =>
    db.query(
      `insert into password_logins
         (email, user_id, recipe_user_id, time_joined_ms, password_hash, hash_algorithm, hash_secret_id)
       select $1 || n, gen_random_uuid(), gen_random_uuid(), 0, 'x', $2, $3 from generate_series(1, $4::int) n`,
      [label, algorithm, secretId, count],
    );
  await add('kept', 'bcrypt-pepper', 'kept', 5);
  await add('gone', 'bcrypt-pepper', 'gone', 10_001);
  await add('other', 'external_scrypt', 'other', 1);
  await add('signer', 'external_scrypt', null, 10_000);
  await add('none', 'bcrypt', null, 5);
  const warnings = async (config: Partial<Config>, signerKey?: string) => {
    const lines: string[] = [];
    const configured = testConfig({ port: 0, postgresql_connection_uri: uri, ...config }, signerKey);
    const service = await startService({ ...options({}, lines), config: configured });
    await service.stop();
    return messagesOf(lines.filter((line) => JSON.parse(line).level === 'warn'));
  };
  const kept = { id: 'kept', secret_base64: 'a2VwdA==' };
  expect(await warnings({ hashing_secrets: [kept] }, '')).toEqual([
    'hashing_secrets has no entry with the id gone: more than 10000 users cannot sign in without it',
    'hashing_secrets has no entry with the id other: 1 user cannot sign in without it',
    'external_password_hashing_signer_key is not configured: 10000 users cannot sign in without it',
  ]);
  const all = [kept, { id: 'gone', secret_base64: '' }, { id: 'other', secret_base64: 'AAAA' }];
  expect(await warnings({ hashing_secrets: all })).toEqual([]);
  await db.query('delete from password_logins');
  expect(await warnings({}, '')).toEqual([]);
});

it('serves metrics on a port of their own, without a key and nothing else', async () => {
  const { uri } = await useTestDatabase();
  const lines: string[] = [];
  const service = await startService(options({ postgresql_connection_uri: uri, metrics_port: 0 }, lines));
  const url = lines
    .map((line) => JSON.parse(line) as { msg: string; url: string })
    .find(({ msg }) => msg === 'metrics are served')?.url;
  if (url === undefined) throw new Error('metrics are not served');
  expect(new URL(url).hostname).toMatch(/^(127\.0\.0\.1|\[::1\])$/);
  const answer = await fetch(url);
  expect([answer.status, answer.headers.get('content-type')]).toEqual([
    200,
    'text/plain; version=0.0.4; charset=utf-8',
  ]);
  expect(await answer.text()).toContain('user_import_database_connections{pool="bulk",state="max"}');
  for (const other of [url.replace('/metrics', '/users'), `${url}/x`, url.replace('/metrics', '/')])
    expect((await fetch(other)).status).toBe(404);
  expect((await fetch(url, { method: 'POST', body: 'x' })).status).toBe(404);
  expect((await fetch(`${service.url}/metrics`)).status).toBe(401);
  await service.stop();
  await expect(fetch(url)).rejects.toThrow();
});
