import type { LineCode, ParsedLoginMethod } from '../input/parsed-user.ts';

export type FinalStatus = 'CREATED' | 'UPDATED' | 'SKIPPED' | 'FAILED';

/**
 * A `DEFERRED` line waits for the address of another user, and is decided after the last line of the stream.
 */
export interface Outcome {
  status: FinalStatus | 'DEFERRED';
  /** Undefined for a user whom a dry run would create. */
  userId?: string | undefined;
  externalUserId?: string | undefined;
  code?: LineCode;
  message?: string;
  /** Login method that exists already, and because of which the line failed. Not part of the report. */
  method?: ParsedLoginMethod;
}

export type OutcomeCounts = Record<Lowercase<FinalStatus>, number>;

export const noOutcomes = (): OutcomeCounts => ({ created: 0, updated: 0, skipped: 0, failed: 0 });

/** Counts an outcome. A deferred line is counted when it is decided. */
export function countOutcome(counts: OutcomeCounts, { status }: Outcome): void {
  if (status !== 'DEFERRED') counts[COUNTERS[status]] += 1;
}

/** Blank lines have no outcome and are not counted. */
export const linesOf = ({ created, updated, skipped, failed }: OutcomeCounts): number =>
  created + updated + skipped + failed;

const COUNTERS = { CREATED: 'created', UPDATED: 'updated', SKIPPED: 'skipped', FAILED: 'failed' } as const;

export function outcomeLine(line: number, outcome: Outcome): string {
  const { status, userId, externalUserId, code, message } = outcome;
  // Fast path without JSON.stringify, for nearly all lines.
  if (status === 'CREATED' && userId !== undefined && externalUserId === undefined) {
    return `{"line":${line},"status":"CREATED","userId":"${userId}"}\n`;
  }
  const id = userId === undefined ? '' : `,"userId":"${userId}"`;
  if (externalUserId === undefined && code === undefined)
    return `{"line":${line},"status":"${status}"${id}}\n`;
  const external = externalUserId === undefined ? '' : `,"externalUserId":${JSON.stringify(externalUserId)}`;
  const why = code === undefined ? '' : `,"code":"${code}","message":${JSON.stringify(message)}`;
  return `{"line":${line},"status":"${status}"${id}${external}${why}}\n`;
}
