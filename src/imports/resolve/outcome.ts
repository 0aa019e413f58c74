import type { LineCode } from '../input/line-error.ts';
import type { ParsedLoginMethod } from '../input/parsed-user.ts';

/** Final status of an import line. */
export type FinalStatus = 'CREATED' | 'UPDATED' | 'SKIPPED' | 'FAILED';

/**
 * Outcome of one line of an import. A `DEFERRED` line waits for the address of another user, and is decided
 * after the last line of the stream. The result line in the answer has the same members.
 */
export interface Outcome {
  status: FinalStatus | 'DEFERRED';
  /** Id of the line's user in this service. Undefined for a user whom a dry run would create. */
  userId?: string | undefined;
  externalUserId?: string | undefined;
  code?: LineCode;
  message?: string;
  /** Login method because of which the line failed: it exists already. Not part of the report. */
  method?: ParsedLoginMethod;
}

export type OutcomeCounts = Record<Lowercase<FinalStatus>, number>;

export const noOutcomes = (): OutcomeCounts => ({ created: 0, updated: 0, skipped: 0, failed: 0 });

/** Adds the outcome of a line to the counts of an import. A deferred line is counted when it is decided. */
export function countOutcome(counts: OutcomeCounts, { status }: Outcome): void {
  if (status !== 'DEFERRED') counts[COUNTERS[status]] += 1;
}

/** Returns the number of lines that were counted. Blank lines have no outcome and are not counted. */
export const linesOf = ({ created, updated, skipped, failed }: OutcomeCounts): number =>
  created + updated + skipped + failed;

const COUNTERS = { CREATED: 'created', UPDATED: 'updated', SKIPPED: 'skipped', FAILED: 'failed' } as const;

/** Returns the result line for an import line, as JSON with a line break. */
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
