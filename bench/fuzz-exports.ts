/**
 * Runs `user-import inspect` and `convert` on damaged and hostile exports, and checks the output.
 * Usage: `npx tsx bench/fuzz-exports.ts [runs] [seed]`
 * A failed run is named by its seed: `npx tsx bench/fuzz-exports.ts 1 SEED` repeats it, and keeps its files.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeCase, readExports } from '../test/cli/fuzz/exports.ts';
import { problemsOf } from '../test/cli/fuzz/invariants.ts';
import { Random } from '../test/support/random.ts';

const LIMIT_MS = 20_000;
/** Runs that take longer are reported. */
const SLOW_MS = 2500;
const LIMIT_KB = 450_000;
const HEAP_MB = 256;

interface Done {
  story: string;
  problems: string[];
  /** Peak memory of the process. */
  maxKb: number;
}

/** Does the requested runs one at a time. A separate process can be killed if it hangs. */
function work(): void {
  const exports = readExports();
  process.on('message', async ({ seed, directory }: { seed: number; directory: string }) => {
    const made = makeCase(exports, new Random(seed), directory);
    const problems = await problemsOf(made, directory).catch((error) => [`thrown: ${error.stack}`]);
    const done: Done = { story: made.story, problems, maxKb: process.resourceUsage().maxRSS };
    process.send?.(done);
  });
}

const startWorker = (): ChildProcess =>
  fork(new URL(import.meta.url), ['--worker'], {
    execArgv: ['--import', 'tsx', `--max-old-space-size=${HEAP_MB}`],
  });

async function main(): Promise<void> {
  const runs = Number(process.argv[2] ?? 1000);
  const first = Number(process.argv[3] ?? Date.now() % 1_000_000_000);
  const root = mkdtempSync(join(tmpdir(), 'fuzz-exports-'));
  console.log(`${runs} runs from seed ${first}, in ${root}`);
  let worker = startWorker();
  let failed = 0;
  let slowestMs = 0;
  let maxKb = 0;
  for (let seed = first; seed < first + runs; seed += 1) {
    const directory = join(root, String(seed));
    const startMs = performance.now();
    worker.send({ seed, directory });
    const over = new AbortController();
    const { signal } = over;
    const done = await Promise.race([
      once(worker, 'message', { signal }).then(([message]: Done[]) => message),
      once(worker, 'exit', { signal }).then(() => 'it died'),
      sleep(LIMIT_MS, 'it hangs', { signal }),
    ]);
    over.abort();
    const ms = performance.now() - startMs;
    slowestMs = Math.max(slowestMs, ms);
    const isOver = typeof done === 'object' && done.maxKb > LIMIT_KB;
    if (typeof done === 'object') maxKb = Math.max(maxKb, done.maxKb);
    if (typeof done !== 'object' || done.problems.length > 0 || isOver) {
      failed += 1;
      const what = typeof done === 'object' ? [done.story, ...new Set(done.problems)].join('\n  ') : done;
      console.log(`seed ${seed} (${Math.round(ms)} ms${isOver ? `, ${done.maxKb} kB` : ''}): ${what}`);
    } else if (ms > SLOW_MS) console.log(`seed ${seed}: ${Math.round(ms)} ms: ${done.story}`);
    else if (runs > 1) rmSync(directory, { recursive: true });
    if (typeof done !== 'object' || isOver) {
      worker.kill('SIGKILL');
      worker = startWorker();
    }
  }
  worker.kill();
  console.log(
    `${failed} of ${runs} failed; slowest ${Math.round(slowestMs)} ms, most memory ${Math.round(maxKb / 1000)} MB`,
  );
  process.exitCode = failed > 0 ? 1 : 0;
}

if (process.argv.includes('--worker')) work();
else await main();
