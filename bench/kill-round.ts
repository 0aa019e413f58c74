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
/** Between two looks whether the service is ready. */
const LOOK_MS = 50;
/** All is well again when no call has failed for so long. */
const QUIET_MS = 1000;
/** Longest that may take, once all nodes are back. */
const MOST_TROUBLE_MS = 120_000;
/** Longest until the import is on record. */
const MOST_BEGIN_MS = 60_000;
/** Of a caller between two calls. Bulk work gives way to calls, and would take minutes beside those that never pause. */
const PAUSE_MS = Number(process.env.KILL_PAUSE ?? 100);

/** Beginning of the names of the users of the single calls. */
export const LOAD = 'load';

export type Victim = 'worker' | 'coordinator' | 'service';

export interface Kill {
  victim: Victim;
  /** How long after the import was on record, or all was well again. */
  afterMs: number;
  awayMs: number;
  /** Which worker. */
  node: number;
}

/** What became of a kill; times are from when the victim was there again. */
export interface Killed extends Kill {
  /** Undefined: it was not ready any more. */
  readyMs: number | undefined;
  /** Until no call failed any more. */
  servedMs: number;
  /** Until no transaction was left prepared. */
  preparedMs: number;
  /** How often the service said it was not ready, of the times it was asked while the victim was away. */
  unready: { asked: number; refused: number };
  failures: Failure[];
}

export interface RoundOptions {
  cluster: NodeCluster;
  /** Of the database. */
  name: string;
  /** Where the reports of the import are written. */
  cwd: string;
  file: string;
  settings: Readonly<Record<string, string>>;
  /** The next one, as long as the import lasts; undefined: all live on. */
  next(): Kill | undefined;
}

export interface Round {
  name: string;
  uri: string;
  url: string;
  service: ChildProcess;
  /** Warnings and errors that the services of this round have logged. */
  troubles: string[];
  load: MixedLoad;
  ended: Ended;
  killed: Killed[];
}

/** Single calls and an import at once, on a database and a service of their own. Ends when both are done, the service goes on. */
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
  const files = ['--report', 'report.ndjson', '--rejects', 'rejects.ndjson'];
  const tool = new ToolRun(['import', file, ...set, '--url', url, '--yes', '--json', ...files], { cwd });
  // Before, it rightly ends where no service is there.
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

/** Waits until the import has begun. False where it has not, in a long time, or will not any more. */
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
