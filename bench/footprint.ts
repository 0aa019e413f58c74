/**
 * Usage: `npm run build && npx tsx bench/footprint.ts`. Measures the resources of a user for
 * bench/capacity/costs.ts: bytes by table and index, WAL, and the CPU time of the service and of all
 * PostgreSQL processes, for bulk imports, single imports, and sign-ins without their hash. Bytes are exact.
 * CPU time is that of processes, so that other load disturbs it less than wall-clock time. `FOOTPRINT_USERS`
 * (1,000,000) is the number of users of the first import; as many are added until there are five times as
 * many. Linux only, because it reads /proc. Requires curl, wrk, shuf, split and the extension pg_walinspect.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { writeSample } from '../examples/sample.ts';
import { startEmbeddedPostgres } from '../src/embedded-postgres/start-embedded-postgres.ts';
import { createLogger } from '../src/lib/log.ts';
import { readMigrations } from '../src/postgres/migrate/apply-migrations.ts';
import { migrateAlone } from '../src/postgres/migrate/migrate-alone.ts';
import { send } from './bulk-support.ts';
import { startCompiledService } from './compiled.ts';
import { API_KEY, HASHES, SIGNER_KEY } from './fixtures.ts';
import { load, post, postScript } from './load.ts';
import { cpuMs, privateBytes, serverProcesses } from './process-costs.ts';

const run = promisify(execFile);

const USERS = Number(process.env.FOOTPRINT_USERS ?? 1_000_000);
const FILLS = 5;
/**
 * Users to import into a full database right after a checkpoint, where the first change of each page writes
 * the whole page to the WAL.
 */
const AFTER_CHECKPOINT = USERS / 5;
/**
 * Number of sign-ins after a checkpoint. It is small compared with the pages of the table, so that each
 * sign-in touches its own page.
 */
const FIRST_SIGN_INS = 2000;
const SECONDS = 10;

/** MD5 of `password`. Its computation takes almost no time, so that the rest of a sign-in is measured. */
const CHEAP = { passwordHash: '5f4dcc3b5aa765d61d8327deb882cf99', hashingAlgorithm: 'hex-md5' };

const directory = await mkdtemp(join(tmpdir(), 'uic-footprint-'));
// Checkpoints happen only on request, so that their effects can be measured separately.
const postgres = await startEmbeddedPostgres({
  directory: join(directory, 'postgres'),
  settings: { max_wal_size: '60GB', checkpoint_timeout: '1d' },
});
await migrateAlone({ uri: postgres.uri, migrations: readMigrations(), logger: createLogger('warn') });
const { child, url } = await startCompiledService(
  {
    POSTGRESQL_CONNECTION_URI: postgres.uri,
    API_KEYS: API_KEY,
    EXTERNAL_PASSWORD_HASHING_SIGNER_KEY: SIGNER_KEY,
    HOST: '127.0.0.1',
    PASSWORD_UPGRADE: 'off',
  },
  'inherit',
);
const servicePid = child.pid ?? 0;
const db = new pg.Client(postgres.uri);
await db.connect();

const lsn = async () => (await db.query('select pg_current_wal_insert_lsn() as lsn')).rows[0].lsn;

/** Runs a phase that returns its number of users, and prints the resources for each user. */
async function phase(name: string, work: () => Promise<number>): Promise<void> {
  const [from, postgresBefore, serviceBefore] = [await lsn(), serverCpuMs(), cpuMs(servicePid)];
  const users = await work();
  const [service, server] = [cpuMs(servicePid) - serviceBefore, serverCpuMs() - postgresBefore];
  const { rows } = await db.query(
    'select sum(record_size) as records, sum(fpi_size) as images from pg_get_wal_stats($1, $2)',
    [from, await lsn()],
  );
  const each = (total: number) => (total / users).toFixed(1);
  console.log(
    `${name}: ${users} users; for each: service ${each(service * 1000)} µs, PostgreSQL ${each(server * 1000)} µs, ` +
      `WAL ${each(Number(rows[0].records))} bytes of records and ${each(Number(rows[0].images))} of page images`,
  );
}
const serverCpuMs = () => serverProcesses(postgres.directory).reduce((sum, pid) => sum + cpuMs(pid), 0);

async function relations(users: number): Promise<void> {
  const { rows } = await db.query(
    `select relation.relname as name, relation.relkind as kind, pg_relation_size(relation.oid) as bytes
     from pg_class relation join pg_namespace n on n.oid = relnamespace
     where nspname in ('public', 'pg_toast') and relkind in ('r', 'i', 't') and pg_relation_size(relation.oid) >= $1
     order by bytes desc`,
    [users / 10],
  );
  for (const { name, kind, bytes } of rows)
    console.log(`  ${name} (${kind}): ${bytes} bytes, ${(bytes / users).toFixed(2)} a user`);
}

/** Prints the relations whose whole pages were written to the WAL since `from`. */
async function images(from: string): Promise<void> {
  const { rows } = await db.query(
    `select relname as name, count(*) as pages, avg(block_fpi_length) as bytes
     from pg_get_wal_block_info($1, $2, false) block join pg_class on pg_class.relfilenode = block.relfilenode
     where block_fpi_length > 0 group by relname order by pages desc`,
    [from, await lsn()],
  );
  for (const { name, pages, bytes } of rows)
    console.log(`  ${name}: ${pages} page images of ${Math.round(bytes)} bytes`);
}

/**
 * Writes the users to files in random order. In exports of systems, adjacent users do not have adjacent
 * e-mails either.
 */
async function writeShuffled(users: number, linesAFile: number): Promise<string[]> {
  const all = join(directory, 'sample.ndjson');
  await writeSample(all, users);
  await run('shuf', ['-o', all, all]);
  await run('split', ['-l', String(linesAFile), all, join(directory, 'part-')]);
  await rm(all);
  return (await readdir(directory)).filter((name) => name.startsWith('part-')).sort();
}
const importPart = async (name: string) => (await send(url, join(directory, name))).lines;

/** Returns the number of answered requests. */
async function wrk(script: string, connections: number): Promise<number> {
  const { rate } = await load({ url, connections, seconds: SECONDS, script, directory });
  return Math.round(rate * SECONDS);
}

try {
  await db.query('create extension pg_walinspect');
  await db.query('checkpoint');
  const parts = await writeShuffled(FILLS * USERS + AFTER_CHECKPOINT, USERS);
  const last = parts.pop() ?? '';
  for (const [index, part] of parts.entries()) {
    await phase(`bulk import after ${index * USERS}`, () => importPart(part));
    if (index === 0 || index === parts.length - 1) await relations((index + 1) * USERS);
  }
  console.log(`service: ${privateBytes(servicePid)} bytes of its own after the bulk imports`);
  await db.query('checkpoint');
  const from = await lsn();
  await phase('bulk import after a checkpoint', () => importPart(last));
  await images(from);

  const single = postScript(
    '/recipe/user/passwordhash/import',
    `'{"email":"' .. run .. '-' .. n .. '@example.com","passwordHash":"${HASHES.bcrypt}"}'`,
  );
  await phase('single imports', () => wrk(single, 64));

  const emails = `'signer-' .. (n % ${FIRST_SIGN_INS}) .. '@example.com'`;
  for (let number = 0; number < FIRST_SIGN_INS; number += 1)
    await post(url, '/recipe/user/passwordhash/import', { email: `signer-${number}@example.com`, ...CHEAP });
  const signIn = postScript('/recipe/signin', `'{"email":"' .. ${emails} .. '","password":"password"}'`);
  await phase('sign-ins without their hash', () => wrk(signIn, 32));
  // Updates rows on different pages, as sign-ins record themselves.
  const { rows: some } = await db.query(
    `select email from password_logins tablesample bernoulli (0.2) where last_sign_in_at is null order by random() limit ${FIRST_SIGN_INS}`,
  );
  await db.query('checkpoint');
  await phase('first sign-ins of a day after a checkpoint, the statement alone', async () => {
    for (const { email } of some)
      await db.query('update password_logins set last_sign_in_at = now() where email = $1', [email]);
    return some.length;
  });
  const backends = serverProcesses(postgres.directory).map((pid) => privateBytes(pid));
  console.log(`processes of PostgreSQL: ${backends.join(', ')} bytes of their own`);
} finally {
  await db.end();
  child.kill('SIGTERM');
  await postgres.stop();
  // The server may have chosen another directory.
  for (const path of [postgres.directory, directory]) await rm(path, { recursive: true, force: true });
}
