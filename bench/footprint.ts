/**
 * `npm run build && npx tsx bench/footprint.ts`: what a user takes, for bench/capacity/costs.ts. Bytes by table and index, WAL,
 * and the CPU time of the service's process and of all those of PostgreSQL, for bulk imports, single ones and sign-ins around
 * their hash. Bytes are exact; CPU time is that of processes, so others on the machine disturb it less than they do the clock.
 * `FOOTPRINT_USERS` (1,000,000): the users of the first import; as many follow until there are five times as many.
 * On Linux, as it reads /proc; needs curl, wrk, shuf, split and the extension pg_walinspect.
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
import { migrateAlone } from '../src/postgres/migrate/migrate-alone.ts';
import { readMigrations } from '../src/postgres/migrate/read-migrations.ts';
import { send } from './bulk-support.ts';
import { startCompiledService } from './compiled.ts';
import { API_KEY, HASHES, SIGNER_KEY } from './fixtures.ts';
import { load, post, postScript } from './load.ts';
import { cpuMs, privateBytes, serverProcesses } from './process-costs.ts';

const run = promisify(execFile);

const USERS = Number(process.env.FOOTPRINT_USERS ?? 1_000_000);
const FILLS = 5;
/** Into a full database right after a checkpoint, where each page is written to the WAL whole the first time it is touched. */
const AFTER_CHECKPOINT = USERS / 5;
/** Sign-ins of so many users after a checkpoint. They are few beside the pages of the table, so that each finds a page of its own. */
const FIRST_SIGN_INS = 2000;
const SECONDS = 10;

/** The MD5 of `password`: hashing it takes next to nothing, so that what is left is the rest of a sign-in. */
const CHEAP = { passwordHash: '5f4dcc3b5aa765d61d8327deb882cf99', hashingAlgorithm: 'hex-md5' };

const directory = await mkdtemp(join(tmpdir(), 'uic-footprint-'));
// No checkpoint but those that are asked for: what comes from them can be told apart.
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

/** Runs some work, which returns how many users it was for, and prints what it took for each. */
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

/** Prints of which relations pages went to the WAL whole since then. */
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
 * Writes the users in files of so many, in random order: of what systems export, no two users that follow each other have e-mails
 * that do.
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

/** Returns how many requests were answered. */
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
  // As a sign-in records itself, on rows that lie on pages of their own.
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
  // The data may be elsewhere than was asked for.
  for (const path of [postgres.directory, directory]) await rm(path, { recursive: true, force: true });
}
