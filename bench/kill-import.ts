/**
 * Usage: `npm run build && npx tsx bench/kill-import.ts [points] [seed] [firebase|supabase]
 * [tool|service|database|signal …]`. Kills each of them at this many random moments of an import, and lets
 * the import continue or runs it again. Compares users, record, report and rejects with those of an
 * undisturbed import. With `KILL_JOB=again`, it is an import of users who exist, with other hashes (Firebase only);
 * with `KILL_JOB=rollback`, it is the rollback of that import.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Random } from '../test/support/random.ts';
import { DIGEST, writeExport } from './export-files.ts';
import { type Ended, ImportStage, ToolRun } from './import-stage.ts';
import { differences, readState } from './import-state.ts';
import { messyFirebase, messySupabase } from './messy-exports.ts';

const USERS = Number(process.env.KILL_USERS ?? 60_000);
/** Share of cases in which the continued import is killed again. */
const AGAIN = 0.3;
const MOST_RUNS = 12;

const [points = '10', seedText = String(Date.now() % 1_000_000), form = 'firebase', ...named] =
  process.argv.slice(2);
const seed = Number(seedText);

const random = new Random(seed);

const directory = await mkdtemp(join(tmpdir(), 'uic-kill-'));
const stage = await ImportStage.open(join(directory, 'postgres'));
const file = form === 'firebase' ? messyFirebase : messySupabase(USERS);
const job = process.env.KILL_JOB ?? 'import';
const name = `users.${file.extension}`;
await writeExport(join(directory, name), file, USERS);
const changed = `changed.${file.extension}`;
const otherHash = (text: string) => text.replace(DIGEST, DIGEST.replace(/^../, 'zz'));
if (job !== 'import')
  await writeExport(
    join(directory, changed),
    { ...file, user: (index) => otherHash(file.user(index)) },
    USERS,
  );
const settings = Object.entries(file.settings ?? {}).flatMap(([key, value]) => ['--set', `${key}=${value}`]);
const files = ['--force', '--report', 'report.ndjson', '--rejects', 'rejects.ndjson'];
const importing = (path: string) => [
  'import',
  path,
  ...settings,
  '--url',
  stage.url,
  '--yes',
  '--json',
  ...files,
];
const toolRun = (args: readonly string[]) => new ToolRun(args, { cwd: directory });
let [args, code] = [importing(job === 'import' ? name : changed), 2];
const begin = () => toolRun(args);
const clean = () =>
  job === 'rollback'
    ? undefined
    : Promise.all(
        ['report.ndjson', 'rejects.ndjson'].map((path) => rm(join(directory, path), { force: true })),
      );

/** Kills by name. Each also repairs what it broke, and returns a description. */
const KILLS: Record<string, (run: ToolRun) => Promise<void>> = {
  async tool(run) {
    run.child.kill('SIGKILL');
    await run.ended;
  },
  async signal(run) {
    run.child.kill(random.fraction() < 0.5 ? 'SIGTERM' : 'SIGINT');
    await run.ended;
  },
  async service() {
    await stage.killService();
    await sleep(random.fraction() * 2000);
    await stage.startService();
  },
  async database() {
    await stage.killPostgres();
    await sleep(random.fraction() * 3000);
    await stage.startPostgres();
  },
};

const CODES: Record<string, (ended: Ended) => boolean> = {
  tool: ({ signal }) => signal === 'SIGKILL',
  signal: ({ code, signal }) => code === 130 || code === 143 || signal === 'SIGINT' || signal === 'SIGTERM',
  // In rare cases the tool gives up, with a message.
  service: ({ code, stderr }) => code === 1 && stderr !== '',
  database: ({ code, stderr }) => code === 1 && stderr !== '',
};

interface Case {
  runs: number;
  moments: string[];
  ended: Ended;
  stopped: Ended[];
}

/** Runs the import until it completes. */
async function disturbed(what: string, firstMs: number): Promise<Case> {
  const stopped: Ended[] = [];
  const moments: string[] = [];
  for (let killAtMs: number | undefined = firstMs; ; ) {
    const run = begin();
    while (killAtMs !== undefined) {
      const isOver = await Promise.race([run.ended.then(() => true), sleep(killAtMs, false)]);
      if (isOver) break;
      moments.push(`${Math.round(killAtMs)} ms`);
      await KILLS[what]?.(run);
      killAtMs = random.fraction() < AGAIN ? random.fraction() * undisturbed.ms : undefined;
    }
    const ended = await run.ended;
    if (ended.code === code) return { runs: stopped.length + 1, moments, ended, stopped };
    stopped.push(ended);
    if (stopped.length > MOST_RUNS) throw new Error(`it does not come to its end: ${ended.stderr}`);
  }
}

let failures = 0;
const complain = (text: string) => {
  failures += 1;
  console.log(`  WRONG: ${text}`);
};

const template = job === 'import' ? '' : 'before';
if (job !== 'import') {
  await stage.reset(template);
  await toolRun(importing(name)).ended;
}
if (job === 'rollback') {
  const { importId } = JSON.parse((await begin().ended).stdout);
  [args, code] = [['rollback', importId, '--url', stage.url, '--yes', '--json'], 0];
}
await stage.reset('undisturbed_0', template);
const undisturbed = await begin().ended;
if (undisturbed.code !== code)
  throw new Error(`the import without disturbance ended with ${undisturbed.code}: ${undisturbed.stderr}`);
const wanted = await readState(stage, directory, undisturbed);
console.log(
  `${USERS} users of ${file.name}, seed ${seed}; undisturbed: ${Math.round(undisturbed.ms)} ms`,
  wanted.said,
  wanted.database,
  wanted.record,
);
if (job !== 'rollback' && wanted.report.split('\n').length !== USERS + 1)
  complain('the report has not one line a row');

for (const what of named.length > 0 ? named : Object.keys(KILLS)) {
  const before = failures;
  let killed = 0;
  for (let index = 0; index < Number(points); index += 1) {
    await clean();
    await stage.reset(`${what}_${index}`, template);
    // One moment in each part of the duration, so that every part is tested.
    const moment = ((index + random.fraction()) / Number(points)) * undisturbed.ms;
    const { runs, moments, ended, stopped } = await disturbed(what, moment);
    killed += moments.length;
    console.log(
      `${what} ${index + 1}: killed at ${moments.join(', ') || 'no time'}; ${runs} runs, the last ${Math.round(ended.ms)} ms`,
    );
    for (const one of stopped) {
      if (CODES[what]?.(one) !== true) complain(`ended with ${one.code} ${one.signal}: ${one.stderr}`);
      else if (one.signal === null) console.log(`  said: ${one.stderr.trimEnd().split('\n').at(-1)}`);
    }
    for (const difference of differences(wanted, await readState(stage, directory, ended), directory))
      complain(difference);
  }
  console.log(`${what}: ${points} imports, ${killed} kills, ${failures - before} wrong`);
}
await stage.close();
await rm(directory, { recursive: true, force: true });
if (failures > 0) process.exitCode = 1;
