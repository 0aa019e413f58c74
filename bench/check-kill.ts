import { until } from '../src/lib/async/until.ts';
import { HASH, PASSWORD } from '../test/faults/mixed-load.ts';
import { ClusterSnapshot, type Written } from './cluster-snapshot.ts';
import { API_KEY } from './fixtures.ts';
import { differences, type ImportState, readState } from './import-state.ts';
import { LOAD, type Round } from './kill-round.ts';
import type { NodeCluster } from './node-cluster.ts';

/** `request_timeout_ms`, plus a second for a busy machine. */
const LONGEST_MS = 31_000;
/**
 * Maximum age of a prepared transaction once all nodes are back: twice the default interval of Citus'
 * recovery.
 */
const PREPARED_MS = 120_000;
const SIGN_INS_AT_ONCE = 32;

interface CheckOptions {
  cluster: NodeCluster;
  cwd: string;
  /** Expected state. Undefined in the round that determines it. */
  wanted: ImportState | undefined;
}

/** Checks all answers and the final state. Returns the problems, and the state of the import. */
export async function checkRound(
  round: Round,
  { cluster, cwd, wanted }: CheckOptions,
): Promise<{ wrong: string[]; state: ImportState | undefined }> {
  const { load, ended, url, uri, name } = round;
  const wrong = new Map<string, number>();
  const complain: Complain = (text) => wrong.set(text, (wrong.get(text) ?? 0) + 1);
  checkAnswers(round, complain);
  if (!(await until(async () => (await cluster.prepared(name)) === 0, PREPARED_MS)))
    complain('transactions are left prepared');

  const snapshot = await ClusterSnapshot.take(uri);
  let state: ImportState | undefined;
  try {
    checkUsers(round, await snapshot.takeOut(LOAD), complain);
    if (ended.code === 2) {
      const get = (path: string) => getJson(url + path);
      state = await readState({ query: snapshot.query, get }, cwd, ended);
    }
  } finally {
    await snapshot.close();
  }
  if (wanted !== undefined && state !== undefined)
    for (const difference of differences(wanted, state, cwd)) complain(`import: ${difference}`);

  const waiting = [...load.imported];
  const signInAll = async () => {
    for (let email = waiting.pop(); email !== undefined; email = waiting.pop())
      if (!(await signsIn(url, email))) complain('a user whose import was acknowledged does not sign in');
  };
  await Promise.all(Array.from({ length: SIGN_INS_AT_ONCE }, signInAll));
  return { wrong: [...wrong].map(([text, count]) => (count === 1 ? text : `${count} × ${text}`)), state };
}

type Complain = (text: string) => void;

function checkAnswers({ load, ended, killed }: Round, complain: Complain): void {
  const isServiceKilled = killed.some(({ victim }) => victim === 'service');
  for (const { call, what, retryAfter } of load.failures) {
    const isRight = isBroken(what)
      ? isServiceKilled
      : what === '503 STORAGE_UNAVAILABLE' && retryAfter === '1';
    if (!isRight) complain(`${call}: ${what}, retry-after ${retryAfter}`);
  }
  if (killed.length === 0 && load.failures.length > 0) complain('calls failed, and nothing was killed');
  if (load.longestMs > LONGEST_MS) complain(`a call took ${Math.round(load.longestMs)} ms`);
  for (const { readyMs } of killed) if (readyMs === undefined) complain('the service was not ready any more');
  if (ended.code !== 2) complain(`the import ended with ${ended.code}: ${ended.stderr}`);
}

function checkUsers({ load }: Round, written: Written, complain: Complain): void {
  const { hashes, thirdParties, orphans, empty } = written;
  if (orphans > 0) complain(`${orphans} logins or aliases of no user`);
  if (empty > 0) complain(`${empty} users without a login`);
  for (const email of load.imported)
    if (hashes.get(email) !== HASH) complain('an acknowledged import is not there');
  for (const who of load.created)
    if (!thirdParties.has(who)) complain('an acknowledged third-party user is not there');
}

/** Whether a failure is the code of an error instead of an HTTP status. */
export const isBroken = (what: string): boolean => what.startsWith('E');

async function signsIn(url: string, email: string): Promise<boolean> {
  const response = await fetch(`${url}/recipe/signin`, {
    method: 'POST',
    headers: { 'api-key': API_KEY, 'content-type': 'application/json' },
    body: JSON.stringify({ email, password: PASSWORD }),
  });
  const { status } = (await response.json()) as { status: string };
  return status === 'OK';
}

async function getJson(url: string): Promise<Record<string, unknown>> {
  const response = await fetch(url, { headers: { 'api-key': API_KEY } });
  return (await response.json()) as Record<string, unknown>;
}
