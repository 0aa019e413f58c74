/**
 * Usage: `npm run bench` or `npm run bench -- import sign-in`. Measures each job beside its upper bound in
 * the same run, on a durable embedded PostgreSQL, and prints a table of ratios. `BENCH_SECONDS` (default 8)
 * is the length of a measurement. `files --list` also names the files in which a call runs.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '../src/embedded-postgres/start-embedded-postgres.ts';
import { createLogger } from '../src/lib/log.ts';
import { readMigrations } from '../src/postgres/migrate/apply-migrations.ts';
import { migrateAlone } from '../src/postgres/migrate/migrate-alone.ts';
import { benchBulk } from './bulk.ts';
import { benchExports } from './exports.ts';
import { benchFiles } from './files.ts';
import { benchImport } from './import.ts';
import { benchLatency } from './latency.ts';
import { benchMovingIn } from './moving-in.ts';
import { benchNodes } from './nodes.ts';
import { printTable, type Row } from './report.ts';
import { benchRolling } from './rolling.ts';
import { benchSignIn } from './sign-in.ts';
import { benchStart } from './start.ts';
import { benchVersions } from './versions.ts';

const JOBS: Record<string, (uri: string, directory: string, seconds: number) => Promise<Row[]>> = {
  import: benchImport,
  'sign-in': benchSignIn,
  latency: benchLatency,
  start: benchStart,
  bulk: benchBulk,
  files: benchFiles,
  exports: benchExports,
  rolling: benchRolling,
  versions: benchVersions,
  nodes: benchNodes,
  'moving-in': benchMovingIn,
};

const names = process.argv.slice(2).filter((name) => name !== '--list');
const unknown = names.filter((name) => !(name in JOBS));
if (unknown.length > 0)
  throw new Error(`no such benchmark: ${unknown.join(', ')}; there are ${Object.keys(JOBS).join(', ')}`);
const seconds = Number(process.env.BENCH_SECONDS ?? 8);

const directory = await mkdtemp(join(tmpdir(), 'uic-bench-'));
const postgres = await startEmbeddedPostgres({ directory: join(directory, 'postgres') });
try {
  await migrateAlone({ uri: postgres.uri, migrations: readMigrations(), logger: createLogger('warn') });
  const rows: Row[] = [];
  for (const name of names.length > 0 ? names : Object.keys(JOBS)) {
    rows.push(...((await JOBS[name]?.(postgres.uri, directory, seconds)) ?? []));
  }
  printTable(rows);
} finally {
  await postgres.stop();
  // The server may have chosen another directory.
  for (const path of [postgres.directory, directory]) await rm(path, { recursive: true, force: true });
}
