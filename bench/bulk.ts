import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import pg from 'pg';
import { writeSample } from '../examples/sample.ts';
import { Database } from '../src/db/database.ts';
import { migrate } from '../src/db/migrate.ts';
import { readMigrations } from '../src/db/read-migrations.ts';
import { API_KEY, HASHES, SIGNER_KEY } from './fixtures.ts';
import { p99Of } from './latency.ts';
import { median, milliseconds, perSecond, type Row } from './report.ts';

const run = promisify(execFile);

/** Lines of a bulk import, and users of the database that is not empty. `BENCH_USERS` and `BENCH_STORED` change them. */
const USERS = Number(process.env.BENCH_USERS ?? 1_000_000);
const STORED = Number(process.env.BENCH_STORED ?? 5_000_000);
const FEW = 10_000;
const ROUNDS = 3;

/** Tables in the order an import writes them, and the columns it does. */
const TABLES = {
  password_logins:
    'email, user_id, recipe_user_id, time_joined_ms, linked, verified_emails, password_hash, hash_algorithm',
  third_party_logins:
    'third_party_id, third_party_user_id, email, user_id, recipe_user_id, time_joined_ms, linked, verified_emails',
  user_aliases: 'alias, kind, user_id, recipe_user_id',
  users: 'user_id, time_joined_ms, metadata',
};

/**
 * A stream of users through the service, beside `psql \copy` of the very rows it made into the same tables with the same
 * indexes, both into an empty database and into one that is full. Memory and single imports meanwhile, too.
 */
export async function benchBulk(uri: string, directory: string, seconds: number): Promise<Row[]> {
  const admin = new Admin(uri);
  const sample = join(directory, 'sample.ndjson');
  const few = join(directory, 'few.ndjson');
  await writeSample(sample, USERS);
  await writeSample(few, FEW);
  const rows: Row[] = [];

  await admin.create('bulk_empty');
  const first = await importFile(admin.uri('bulk_empty'), sample);
  const files = await admin.dump('bulk_empty', directory);
  const rates = {
    import: [] as number[],
    copy: [] as number[],
    full: [] as number[],
    fullCopy: [] as number[],
  };
  const peaks = { many: [first.peakBytes], few: [] as number[] };
  for (let round = 1; round <= ROUNDS; round += 1) {
    await admin.create('bulk_empty');
    rates.copy.push(await admin.load('bulk_empty', files));
    await admin.create('bulk_empty');
    peaks.few.push((await importFile(admin.uri('bulk_empty'), few)).peakBytes);
    await admin.create('bulk_empty');
    const result = await importFile(admin.uri('bulk_empty'), sample);
    rates.import.push(result.rate);
    peaks.many.push(result.peakBytes);
    console.log(
      `bulk, round ${round}: \\copy ${perSecond(rates.copy.at(-1) ?? 0)}, import ${perSecond(result.rate)}, peak ${mib(result.peakBytes)} (${FEW} lines: ${mib(peaks.few.at(-1) ?? 0)})`,
    );
  }
  const [copy, rate] = [median(rates.copy), median(rates.import)];
  rows.push({
    what: `bulk import, ${USERS.toLocaleString('en')} users, empty database`,
    measured: perSecond(rate),
    limit: `\\copy: ${perSecond(copy)}`,
    ratio: rate / copy,
    aim: '≥ 0.85',
    met: rate / copy >= 0.85,
  });
  const [many, little] = [median(peaks.many), median(peaks.few)];
  rows.push({
    what: 'bulk import, peak memory',
    measured: mib(many),
    limit: `${FEW.toLocaleString('en')} lines: ${mib(little)}`,
    ratio: many / little,
    aim: '≤ 1.20',
    met: many / little <= 1.2,
  });

  rows.push(...(await benchSingleImports(admin, sample, seconds)));

  await admin.create('bulk_full');
  await fill(admin.uri('bulk_full'), sample);
  for (let round = 1; round <= ROUNDS; round += 1) {
    await admin.create('bulk_copy', 'bulk_full');
    rates.fullCopy.push(await admin.load('bulk_copy', files));
    await admin.create('bulk_copy', 'bulk_full');
    rates.full.push((await importFile(admin.uri('bulk_copy'), sample)).rate);
    console.log(
      `bulk into ${STORED.toLocaleString('en')} users, round ${round}: \\copy ${perSecond(rates.fullCopy.at(-1) ?? 0)}, import ${perSecond(rates.full.at(-1) ?? 0)}`,
    );
  }
  const [fullCopy, full] = [median(rates.fullCopy), median(rates.full)];
  const what = `bulk import into ${STORED.toLocaleString('en')} users`;
  rows.push({
    what,
    measured: perSecond(full),
    limit: `\\copy: ${perSecond(fullCopy)}`,
    ratio: full / fullCopy,
    aim: '≥ 0.85',
    met: full / fullCopy >= 0.85,
  });
  rows.push({
    what,
    measured: perSecond(full),
    limit: `empty: ${perSecond(rate)}`,
    ratio: full / rate,
    aim: '≥ 0.70',
    met: full / rate >= 0.7,
  });
  return rows;
}

const mib = (bytes: number) => `${Math.round(bytes / 1024 / 1024)} MiB`;

/** p99 of single imports that come one after another while a stream runs. */
async function benchSingleImports(admin: Admin, sample: string, seconds: number): Promise<Row[]> {
  await admin.create('bulk_busy');
  const service = await startCompiled(admin.uri('bulk_busy'));
  let counter = 0;
  const probe = {
    method: 'POST',
    path: '/recipe/user/passwordhash/import',
    body: () => JSON.stringify({ email: `probe-${counter++}@example.net`, passwordHash: HASHES.bcrypt }),
  };
  await p99Of(service.url, probe, 1);
  const idle = await p99Of(service.url, probe, seconds);
  const stream = send(service.url, sample);
  const busy = await p99Of(service.url, probe, Math.min(seconds, USERS / 150_000));
  await stream;
  await service.stop();
  return [
    {
      what: 'single import p99 during a bulk import',
      measured: milliseconds(busy),
      limit: `idle: ${milliseconds(idle)}`,
      ratio: busy / idle,
      aim: '(none)',
      met: true,
    },
  ];
}

/** Sends a file with curl to a service of its own, so that its peak memory is that of this import. */
async function importFile(uri: string, file: string): Promise<{ rate: number; peakBytes: number }> {
  const service = await startCompiled(uri);
  const { lines, seconds } = await send(service.url, file);
  const peakBytes = service.peakBytes();
  await service.stop();
  return { rate: lines / seconds, peakBytes };
}

/** With users of other numbers than those of the sample. */
async function fill(uri: string, sample: string): Promise<void> {
  const service = await startCompiled(uri);
  for (let done = 0; done < STORED; done += USERS) {
    const users = Math.min(USERS, STORED - done);
    await writeSample(`${sample}.more`, users, USERS + done);
    await send(service.url, `${sample}.more`);
    console.log(`filled a database with ${(done + users).toLocaleString('en')} users`);
  }
  await service.stop();
}

async function send(url: string, file: string): Promise<{ lines: number; seconds: number }> {
  const report = `${file}.report`;
  const start = performance.now();
  await run('curl', [
    ...['-sS', '-X', 'POST', '-T', file, '-o', report],
    ...['-H', `api-key: ${API_KEY}`, '-H', 'content-type: application/x-ndjson', '-H', 'expect:'],
    `${url}/bulk-import/stream`,
  ]);
  const seconds = (performance.now() - start) / 1000;
  const { stdout } = await run('tail', ['-n', '1', report]);
  const { summary } = JSON.parse(stdout);
  if (summary === undefined || summary.created !== summary.lines)
    throw new Error(`the import said: ${stdout}`);
  return { lines: summary.lines, seconds };
}

async function startCompiled(uri: string) {
  const child = spawn(process.execPath, [join(import.meta.dirname, '../dist/main.js')], {
    env: {
      ...process.env,
      POSTGRESQL_CONNECTION_URI: uri,
      API_KEYS: API_KEY,
      EXTERNAL_PASSWORD_HASHING_SIGNER_KEY: SIGNER_KEY,
      PORT: '0',
      HOST: '127.0.0.1',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  let url = '';
  for await (const line of createInterface({ input: child.stdout })) {
    const { msg, ...ready } = JSON.parse(line);
    if (msg === 'ready') {
      url = ready.url;
      break;
    }
  }
  child.stdout.resume();
  return {
    url,
    /** Of its life so far; Linux only. */
    peakBytes: () =>
      Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) * 1024,
    async stop() {
      child.kill('SIGTERM');
      await exited;
    },
  };
}

/** What is done to databases beside the service. */
class Admin {
  readonly #uri: string;
  constructor(uri: string) {
    this.#uri = uri;
  }

  uri(database: string): string {
    const url = new URL(this.#uri);
    url.pathname = `/${database}`;
    return url.href;
  }

  async #run(database: string | undefined, ...statements: string[]): Promise<void> {
    const client = new pg.Client(database === undefined ? this.#uri : this.uri(database));
    await client.connect();
    for (const statement of statements) await client.query(statement);
    await client.end();
  }

  /** Anew, with empty tables or as a copy; nothing left to be written behind. */
  async create(database: string, template?: string): Promise<void> {
    await this.#run(
      undefined,
      `drop database if exists ${database} with (force)`,
      `create database ${database} ${template === undefined ? '' : `template ${template}`}`,
    );
    const db = new Database({ uri: this.uri(database), size: 1, timeoutMs: 600_000, onIdleError: () => {} });
    await migrate(db, readMigrations());
    await db.close();
    await this.#run(undefined, 'checkpoint');
  }

  /** The rows of an import as files, one a table. */
  async dump(database: string, directory: string): Promise<Record<string, string>> {
    const files: Record<string, string> = {};
    for (const [table, columns] of Object.entries(TABLES)) {
      files[table] = join(directory, `${table}.copy`);
      await this.#psql(database, `\\copy (select ${columns} from ${table}) to '${files[table]}'`);
    }
    return files;
  }

  /** Users a second. */
  async load(database: string, files: Record<string, string>): Promise<number> {
    const commands = Object.entries(TABLES).map(
      ([table, columns]) => `\\copy ${table} (${columns}) from '${files[table]}'`,
    );
    const start = performance.now();
    await this.#psql(database, ...commands);
    return USERS / ((performance.now() - start) / 1000);
  }

  async #psql(database: string, ...commands: string[]): Promise<void> {
    const args = commands.flatMap((command) => ['-c', command]);
    await run('psql', ['-X', '-q', '-v', 'ON_ERROR_STOP=1', ...args, this.uri(database)]);
  }
}
