import type { HandOver, HandOverCount, HandOverStore, LoginState, MovedOnDay } from './hand-over-store.ts';

export type HandOverStatus = 'RUNNING' | 'FINISHED' | 'UNDOING' | 'UNDONE';

export interface HandOverReport {
  handOver: HandOver;
  status: HandOverStatus;
  logins: Record<LoginState, number>;
  /** Number of logins by hash algorithm, the most frequent first. Logins without a password are left out. */
  byAlgorithm: { algorithm: string; waiting: number; moved: number; changed: number; refused: number }[];
  movedByDay: MovedOnDay[];
  advice: string;
}

export async function reportHandOver(
  handOvers: HandOverStore,
  handOverId: string,
): Promise<HandOverReport | undefined> {
  const handOver = await handOvers.find(handOverId);
  if (handOver === undefined) return undefined;
  const [counts, movedByDay] = [await handOvers.counts(handOverId), await handOvers.movedByDay(handOverId)];
  const logins = { sending: 0, waiting: 0, moved: 0, changed: 0, refused: 0 };
  for (const { state, logins: count } of counts) logins[state] += count;
  const status = statusOf(handOver);
  const advice = adviceFor(status, logins, await handOvers.countWaiting());
  return {
    handOver,
    status,
    logins,
    byAlgorithm: byAlgorithm(counts),
    movedByDay,
    advice,
  };
}

function statusOf({ finishedAtMs, undoStartedAtMs, undoFinishedAtMs }: HandOver): HandOverStatus {
  if (undoFinishedAtMs !== undefined) return 'UNDONE';
  if (undoStartedAtMs !== undefined) return 'UNDOING';
  return finishedAtMs === undefined ? 'RUNNING' : 'FINISHED';
}

function byAlgorithm(counts: readonly HandOverCount[]): HandOverReport['byAlgorithm'] {
  const rows = new Map<string, HandOverReport['byAlgorithm'][number]>();
  for (const { state, algorithm, logins } of counts) {
    if (algorithm === undefined || state === 'sending') continue;
    const row = rows.get(algorithm) ?? { algorithm, waiting: 0, moved: 0, changed: 0, refused: 0 };
    row[state] += logins;
    rows.set(algorithm, row);
  }
  const total = (row: HandOverReport['byAlgorithm'][number]) =>
    row.waiting + row.moved + row.changed + row.refused;
  return [...rows.values()].sort((a, b) => total(b) - total(a) || (a.algorithm < b.algorithm ? -1 : 1));
}

/** @param all number of waiting logins of all hand-overs, and how many of these have no password */
function adviceFor(
  status: HandOverStatus,
  { refused }: Record<LoginState, number>,
  all: { waiting: number; unset: number },
): string {
  if (status === 'RUNNING')
    return 'Users are being created in the core. Wait until this has finished before you change connectionURI.';
  if (status === 'UNDOING') return 'Waiting users are being removed from the core.';
  const left =
    refused === 0 ? '' : ` ${NUMBER.format(refused)} logins were refused: look at their reasons first.`;
  const unset =
    all.unset === 0
      ? ''
      : ` ${NUMBER.format(all.unset)} logins have no password and can be reset, with or without this service.`;
  const waiting = all.waiting - all.unset;
  if (waiting > 0)
    return `${NUMBER.format(waiting)} logins wait for their first sign-in, so keep this service in front of the core. If you switch it off now, these users must reset their passwords.${unset}${left}`;
  if (status === 'UNDONE') return 'The waiting users were removed from the core.';
  return `Nobody waits. This service can be switched off: point connectionURI at the core.${unset}${left}`;
}

const NUMBER = new Intl.NumberFormat('en-US');
