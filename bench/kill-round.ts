import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../src/lib/async/free-port.ts';
import { until } from '../src/lib/async/until.ts';
import { type Failure, MixedLoad } from '../test/faults/mixed-load.ts';
import { rowsOf } from '../test/support/rows-of.ts';
import { startCompiledService } from './compiled.ts';
import { API_KEY, SIGNER_KEY } from './fixtures.ts';
import { type Ended, ToolRun } from './import-stage.ts';
import type { NodeCluster } from './node-cluster.ts';

const CONNECTIONS = 32;
/** Time between two checks of readiness. */
const LOOK_MS = 50;
/** The system has recovered when no call has failed for this long. */
const QUIET_MS = 1000;
/** Maximum time of recovery, once all nodes are back. */
const MOST_TROUBLE_MS = 120_000;
/** Maximum time until the import is recorded. */
const MOST_BEGIN_MS = 60_000;
/**
 * Pause of a caller between two calls. Bulk work yields to calls, and would take minutes beside callers
 * without pauses.
 */
const PAUSE_MS = Number(process.env.KILL_PAUSE ?? 100);

/** Prefix of the names of users of the single calls. */
export const LOAD = 'load';

export type Victim = 'worker' | 'coordinator' | 'service';

export interface Kill {
  victim: Victim;
  /** Time of the kill, after the import was recorded or the system had recovered. */
  afterMs: number;
  awayMs: number;
  /** Number of the node. */
  node: number;
}

/** Result of a kill. Times are measured from the restart of the killed process. */
export interface Killed extends Kill {
  /** Undefined if the service was no longer ready. */
  readyMs: number | undefined;
  /** Time until no call failed any more. */
  servedMs: number;
  /** Time until no prepared transaction was left. */
  preparedMs: number;
  /** Checks of readiness while the killed process was away, and how many of them were negative. */
  unready: { asked: number; refused: number };
  failures: Failure[];
}

export interface RoundOptions {
  cluster: NodeCluster;
  /** Name of the database. */
  name: string;
  /** Directory for the reports of the import. */
  cwd: string;
  file: string;
  settings: Readonly<Record<string, string>>;
  /** Returns the next kill. Called as long as the import lasts; undefined if there is none. */
  next(): Kill | undefined;
}

export interface Round {
  name: string;
  uri: string;
  url: string;
  service: ChildProcess;
  /** Warnings and errors that the services of this round logged. */
  troubles: string[];
  load: MixedLoad;
  ended: Ended;
  killed: Killed[];
}

/**
 * Runs single calls and an import at the same time, with their own database and service. Resolves when both
 * are done; the service keeps running.
 */
export async function runRound({ cluster, name, cwd, file, settings, next }: RoundOptions): Promise<Round> {
  const uri = await cluster.createDatabase(name);
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const troubles: string[] = [];
  const begin = async () => {
    const env = {
      POSTGRESQL_CONNECTION_URI: uri,
      HOST: '127.0.0.1',
      PORT: String(port),
      API_KEYS: API_KEY,
      EXTERNAL_PASSWORD_HASHING_SIGNER_KEY: SIGNER_KEY,
    };
    const { child } = await startCompiledService(env, 'ignore', (line) => {
      if (/"level":"(warn|error|fatal)"/.test(line)) troubles.push(line);
    });
    return child;
  };
  let service = await begin();
  const load = new MixedLoad(url, API_KEY, CONNECTIONS, { name: LOAD, pauseMs: PAUSE_MS, isSentAgain: true });
  const set = Object.entries(settings).flatMap(([key, value]) => ['--set', `${key}=${value}`]);
  const files = ['--force', '--report', 'report.ndjson', '--rejects', 'rejects.ndjson'];
  // The load creates users as well, none of whom is in the file.
  const options = ['--on-conflict', 'skip', '--url', url, '--yes', '--json', ...files];
  const tool = new ToolRun(['import', file, ...set, ...options], { cwd });
  // Without a recorded import, the tool may end while the service is away.
  if (!(await isOnRecord(uri, tool))) {
    tool.child.kill('SIGKILL');
    await load.stop();
    await endProcess(service);
    throw new Error(`the import was not on record after ${MOST_BEGIN_MS / 1000} s, or ended: ${tool.stderr}`);
  }

  const killed: Killed[] = [];
  for (let kill = next(); kill !== undefined; kill = next()) {
    await sleep(kill.afterMs);
    if (tool.isOver) break;
    const before = load.failures.length;
    if (kill.victim === 'service') await endProcess(service);
    else await cluster.kill(nodeOf(kill));
    const unready = await lookWhileAway(url, kill.awayMs);
    const startMs = performance.now();
    if (kill.victim === 'service') service = await begin();
    else await cluster.start(nodeOf(kill));
    const backMs = kill.victim === 'service' ? startMs : performance.now();
    const untilMs = async (isSo: () => Promise<boolean>) =>
      (await until(isSo, MOST_TROUBLE_MS)) ? performance.now() - backMs : undefined;
    const readyMs = await untilMs(() => isReady(url));
    const preparedMs = (await untilMs(async () => (await cluster.prepared(name)) === 0)) ?? Number.NaN;
    const lastMs = () => load.failures.at(-1)?.atMs ?? 0;
    await until(() => performance.now() - Math.max(backMs, lastMs()) > QUIET_MS, MOST_TROUBLE_MS);
    const servedMs = Math.max(0, lastMs() - backMs);
    killed.push({ ...kill, readyMs, servedMs, preparedMs, unready, failures: load.failures.slice(before) });
  }
  const ended = await tool.ended;
  await load.stop();
  return { name, uri, url, service, troubles, load, ended, killed };
}

/** Waits until the import is recorded. Returns false if it is not recorded in time, or cannot be any more. */
async function isOnRecord(uri: string, tool: ToolRun): Promise<boolean> {
  const isThere = async () => (await rowsOf(uri, 'select from imports')).length > 0;
  await until(async () => tool.isOver || (await isThere()), MOST_BEGIN_MS);
  return isThere();
}

const nodeOf = ({ victim, node }: Kill) => (victim === 'worker' ? node : 0);

async function lookWhileAway(url: string, awayMs: number): Promise<Killed['unready']> {
  const unready = { asked: 0, refused: 0 };
  const endMs = performance.now() + awayMs;
  while (performance.now() < endMs) {
    unready.asked += 1;
    if (!(await isReady(url))) unready.refused += 1;
    await sleep(LOOK_MS);
  }
  return unready;
}

export async function endProcess(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

const isReady = (url: string): Promise<boolean> =>
  fetch(`${url}/health/ready`).then(
    ({ ok }) => ok,
    () => false,
  );
