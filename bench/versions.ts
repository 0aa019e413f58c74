import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { BalancedInstances } from '../test/faults/balanced-instances.ts';
import { MixedLoad } from '../test/faults/mixed-load.ts';
import { installed } from '../test/support/installed.ts';
import { PgBouncer } from '../test/support/pgbouncer.ts';
import { startArguments } from '../test/support/start-command.ts';
import { startCompiledService } from './compiled.ts';
import { API_KEY, HASHES } from './fixtures.ts';
import type { Row } from './report.ts';
import { createDatabase } from './rolling.ts';

const run = promisify(execFile);
const PROJECT = join(import.meta.dirname, '..');
/** Version 0.2.0, the one before this. OLD_VERSION is another one, or a directory with a compiled version. */
const OLD_VERSION = process.env.OLD_VERSION ?? 'cce02d7b';
const CONNECTIONS = 32;
/** Users that the database has before the upgrade, and rows that an import adds meanwhile. */
const ROWS = 20_000;
/** Time in which both versions serve. */
const BOTH_MS = 5000;
/** Time for which a transaction reads all tables, as pg_dump does, from before the first new instance starts. */
const READER_MS = 20_000;

/**
 * Replaces three instances of the former version by this one, one at a time, under load. The first new instance
 * migrates the database, which the other old ones go on using. Requires a build.
 */
export async function benchVersions(uri: string, directory: string): Promise<Row[]> {
  const [haproxy, pgbouncer] = [installed('haproxy'), installed('pgbouncer')];
  if (haproxy === undefined || pgbouncer === undefined) {
    console.log('versions: needs haproxy and pgbouncer (Debian: apt-get install haproxy pgbouncer), skipped');
    return [];
  }
  const old = await buildOld(join(directory, 'old'));
  const database = await createDatabase(uri, 'versions');
  const pooler = await PgBouncer.start(pgbouncer, database);
  let version = old;
  const settings = { POSTGRESQL_CONNECTION_URI: pooler.uri(database), API_KEYS: API_KEY };
  const instances = await BalancedInstances.start(haproxy, (host, port) => {
    const env = { ...settings, HOST: host, PORT: String(port), SHUTDOWN_DELAY_MS: '3000' };
    return startCompiledService(env, 'inherit', undefined, version);
  });
  const client = new pg.Client(database);
  await client.connect();
  try {
    await importWith(old, directory, 'before', instances.url);
    const load = new MixedLoad(instances.url, API_KEY, CONNECTIONS);
    const importing = importWith(old, directory, 'during', instances.url);
    // Awaited later. A rejection until then must not end this process, which would leave the instances running.
    importing.catch(() => {});
    await sleep(2000);
    const reading = readLike(database);
    version = PROJECT;
    for (let index = 0; index < 3; index += 1) {
      await instances.restart(index);
      await sleep(BOTH_MS);
    }
    await reading;
    const created = await importing;
    await load.stop();
    const lost = await lostOf(client, load);
    const failures = load.failures.map(({ call, what, atMs }) => `${call}: ${what} at ${Math.round(atMs)}`);
    console.log(
      `versions: ${failures.length} of ${load.requests} requests failed, the longest took ${Math.round(load.longestMs)} ms; ` +
        `the import of ${ROWS} rows created ${created}; ${lost} acknowledged users are lost`,
    );
    for (const failure of failures.slice(0, 20)) console.log(`  ${failure}`);
    const refusal = await startOld(old, database);
    console.log(`  the former version on the new schema: ${refusal}`);
    return [
      row('two versions side by side: failed requests', failures.length, load.requests),
      row('two versions side by side: acknowledged users lost', lost, load.imported.length),
      row('two versions side by side: rows not imported', ROWS - created, ROWS),
      row('downgrades that started', refusal.includes('is newer than this code') ? 0 : 1, 1),
    ];
  } finally {
    await client.end();
    await instances.close();
    await pooler.stop();
  }
}

const row = (what: string, count: number, of: number): Row => ({
  what,
  measured: String(count),
  limit: `of ${of}`,
  ratio: count / of,
  aim: '0',
  met: count === 0,
});

/** Compiles the former version with the libraries of this one. Returns its directory. */
async function buildOld(directory: string): Promise<string> {
  if (existsSync(join(OLD_VERSION, 'dist'))) return OLD_VERSION;
  await mkdir(directory);
  const archive = join(directory, 'old.tar');
  await run('git', ['archive', '-o', archive, OLD_VERSION], { cwd: PROJECT });
  await run('tar', ['xf', archive], { cwd: directory });
  await symlink(join(PROJECT, 'node_modules'), join(directory, 'node_modules'));
  await run('npm', ['run', '-s', 'build'], { cwd: directory });
  return directory;
}

/** Imports rows with the command line of a version. Resolves to the number of created users. */
async function importWith(version: string, directory: string, name: string, url: string): Promise<number> {
  const lines = Array.from(
    { length: ROWS },
    (_, index) => `${name}${index},${name}-${index}@example.net,${HASHES.bcrypt}\n`,
  );
  const file = join(directory, `${name}.csv`);
  await writeFile(file, `id,email,hash\n${lines.join('')}`);
  const args = [
    join(version, 'dist/cli.js'),
    'import',
    file,
    '--url',
    url,
    '--yes',
    '--json',
    '--quiet',
    '--on-conflict',
    'skip',
  ];
  const { stdout } = await run(process.execPath, args, {
    cwd: directory,
    env: { PATH: process.env.PATH, USER_IMPORT_API_KEY: API_KEY },
  });
  return JSON.parse(stdout).created;
}

/** Reads all tables in one transaction that stays open, as pg_dump does. */
async function readLike(uri: string): Promise<void> {
  const client = new pg.Client(uri);
  await client.connect();
  await client.query('begin isolation level repeatable read');
  const { rows } = await client.query(
    "select quote_ident(tablename) as name from pg_tables where schemaname = 'public'",
  );
  for (const { name } of rows) await client.query(`select 1 from ${name} limit 1`);
  await sleep(READER_MS);
  await client.end();
}

/** Returns the number of users of the load that were acknowledged and are not in the database. */
async function lostOf(client: pg.Client, { imported, created }: MixedLoad): Promise<number> {
  const { rows } = await client.query(
    `select (select count(*) from unnest($1::text[]) e where e not in (select email from password_logins))
       + (select count(*) from unnest($2::text[]) i where i not in (select third_party_user_id from third_party_logins)) as lost`,
    [imported, created],
  );
  return Number(rows[0].lost);
}

/** Starts the former version, which must refuse. Returns what it says on stderr. */
async function startOld(old: string, uri: string): Promise<string> {
  const child = spawn(process.execPath, startArguments(join(old, 'dist/main.js')), {
    cwd: old,
    env: { PATH: process.env.PATH, POSTGRESQL_CONNECTION_URI: uri, API_KEYS: API_KEY, PORT: '0' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let stderr = '';
  child.stderr.on('data', (text) => {
    stderr += text;
  });
  const timer = setTimeout(() => child.kill('SIGKILL'), 20_000);
  const [code] = await once(child, 'close');
  clearTimeout(timer);
  return `exit code ${code}: ${stderr.trim()}`;
}
