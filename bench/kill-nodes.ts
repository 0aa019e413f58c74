/**
 * Usage: `npm run build && npx tsx bench/kill-nodes.ts [kills] [seed] [worker|coordinator|service …]`. Kills
 * each of them at random moments during single calls and a bulk import, and restarts it 0 to 5 s later. Then
 * checks all stored data and all answers. Requires a Citus on this machine: `TEST_CITUS_URL`,
 * `NODE_DATA_DIRS` (separated by commas, the coordinator's first) and `PG_BIN`.
 */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Random } from '../test/support/random.ts';
import { checkRound, isBroken } from './check-kill.ts';
import { writeExport } from './export-files.ts';
import type { ImportState } from './import-state.ts';
import { endProcess, type Kill, type Killed, type Round, runRound, type Victim } from './kill-round.ts';
import { messyFirebase } from './messy-exports.ts';
import { NodeCluster } from './node-cluster.ts';

const USERS = Number(process.env.KILL_USERS ?? 20_000);
/** Maximum time between full recovery and the next kill. */
const MOST_AFTER_MS = 4000;
const MOST_AWAY_MS = 5000;
/** Maximum number of kills during one import. */
const MOST_A_ROUND = 4;
const VICTIMS: readonly Victim[] = ['worker', 'coordinator', 'service'];

const { TEST_CITUS_URL: uri, NODE_DATA_DIRS: directories, PG_BIN: bin } = process.env;
if (!uri || !directories || !bin) throw new Error('TEST_CITUS_URL, NODE_DATA_DIRS and PG_BIN are needed');
const [kills = '10', seedText = String(Date.now() % 1_000_000), ...named] = process.argv.slice(2);
const numbers = new Random(Number(seedText));
const random = () => numbers.below(2 ** 20) / 2 ** 20;

const cluster = await NodeCluster.open(uri, { bin, directories: directories.split(',') });
const directory = await mkdtemp(join(tmpdir(), 'uic-kill-nodes-'));
const file = join(directory, 'users.json');
await writeExport(file, messyFirebase, USERS);

let wanted: ImportState | undefined;
let failures = 0;

/** Runs and checks one round, with its own database and directory. */
async function round(name: string, next: () => Kill | undefined): Promise<Round> {
  const cwd = join(directory, name);
  await mkdir(cwd);
  const done = await runRound({ cluster, name, cwd, file, settings: messyFirebase.settings ?? {}, next });
  try {
    const { wrong, state } = await checkRound(done, { cluster, cwd, wanted });
    wanted ??= state;
    failures += wrong.length;
    const { load, ended, troubles } = done;
    console.log(
      `${name}: ${done.killed.length} kills, ${load.requests} calls, ${load.imported.length + load.created.length} users acknowledged, the longest call ${seconds(load.longestMs)} s, the import ${seconds(ended.ms)} s, ${troubles.length} lines of trouble in the log, ${wrong.length} wrong`,
    );
    for (const text of wrong) console.log(`  WRONG: ${text}`);
    if (process.env.KILL_LOG) for (const line of troubles) console.log(`  log: ${line}`);
    return done;
  } finally {
    await endProcess(done.service);
    await cluster.dropDatabase(name);
    await rm(cwd, { recursive: true });
  }
}

const seconds = (ms: number | undefined) => (ms === undefined ? '–' : (ms / 1000).toFixed(1));

const rowOf = (killed: Killed) => ({
  killed: `${killed.victim}${killed.victim === 'worker' ? ` ${killed.node}` : ''}`,
  'after s': seconds(killed.afterMs),
  'away s': seconds(killed.awayMs),
  '503': killed.failures.filter(({ what }) => what.startsWith('503')).length,
  broken: killed.failures.filter(({ what }) => isBroken(what)).length,
  'not ready': `${killed.unready.refused}/${killed.unready.asked}`,
  'ready s': seconds(killed.readyMs),
  'served s': seconds(killed.servedMs),
  'prepared s': seconds(killed.preparedMs),
});

console.log(`${USERS} rows, seed ${seedText}`);
await round('kill_none', () => undefined);
console.log(wanted?.said, wanted?.database);

const rows: ReturnType<typeof rowOf>[] = [];
for (const victim of named.length > 0 ? named : VICTIMS) {
  let left = Number(kills);
  const next = (): Kill => ({
    victim: victim as Victim,
    afterMs: random() * MOST_AFTER_MS,
    awayMs: random() * MOST_AWAY_MS,
    node: 1 + numbers.below(cluster.nodes.length - 1),
  });
  // If the import ends early, another round begins.
  for (let index = 0; left > 0; index += 1) {
    let more = Math.min(left, MOST_A_ROUND);
    const { killed } = await round(`kill_${victim}_${index}`, () => (more-- > 0 ? next() : undefined));
    left -= killed.length;
    for (const one of killed) {
      rows.push(rowOf(one));
      console.log(`  ${JSON.stringify(rows.at(-1))}`);
    }
  }
}
console.table(rows);
console.log(`${rows.length} kills, ${failures} wrong`);
await rm(directory, { recursive: true, force: true });
if (failures > 0) process.exitCode = 1;
