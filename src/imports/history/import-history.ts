import type { MatchBy, OnConflict } from '../import-request.ts';
import type { HashCounts } from '../resolve/hash-counts.ts';
import type { FailureCounts } from '../resolve/line-failures.ts';
import type { OutcomeCounts } from '../resolve/outcome.ts';

export interface ImportRecord {
  importId: string;
  keyName: string;
  dryRun: boolean;
  onConflict: OnConflict;
  matchBy: MatchBy;
  source?: string;
  hashingSecretId?: string;
  /** Milliseconds since the epoch, as all times in this interface. */
  startedAtMs: number;
  /** When the import reached the end of its lines. Undefined while it runs, and if it was interrupted. */
  finishedAtMs?: number;
  rolledBackAtMs?: number;
  isRollbackFinished: boolean;
  /** Since when a part of the import's record is deleted: it can be neither resumed nor rolled back. */
  expiredAtMs?: number;
  /** Also true if the process of the last run was killed. */
  isRunning: boolean;
  /** Undefined if an earlier version of the service wrote the record. */
  updatedAtMs?: number;
  deleteMissing?: number;
  missing?: MissingCounts;
  total?: number;
  outcomes: OutcomeCounts;
  failures: FailureCounts;
  /** Number of logins written, by hash algorithm, or under `thirdparty` without a hash. */
  algorithms: Record<string, number>;
  /** Empty for imports of an earlier version of the service. */
  hashes: HashCounts;
  /** Total duration of all runs. A run that was killed counts until its last recorded progress. */
  durationMs: number;
  rollback?: RollbackCounts;
}

/** Counts of missing users: users of earlier imports of the same source whom no line of this import names. */
export interface MissingCounts {
  found: number;
  removed: number;
  /** Missing users who stay, because they have signed in or changed something in this service. */
  kept: number;
}

export const ROLLBACK_COUNTS = [
  'usersRemoved',
  'usersKept',
  'hashesRestored',
  'hashesKept',
  'emailsRestored',
  'emailsKept',
  'statesRestored',
  'statesKept',
  'factorsRestored',
  'factorsKept',
  'usersRestored',
  'usersNotRestored',
] as const;

/**
 * Users and logins that were used or changed since the import are kept. A login whose hash no longer exists
 * also counts under `hashesKept`.
 */
export type RollbackCounts = Record<(typeof ROLLBACK_COUNTS)[number], number>;

export function addRollbackCounts(a: Partial<RollbackCounts>, b: Partial<RollbackCounts>): RollbackCounts {
  const sums = ROLLBACK_COUNTS.map((name) => [name, (a[name] ?? 0) + (b[name] ?? 0)]);
  return Object.fromEntries(sums) as RollbackCounts;
}

export interface FailedLine {
  line: number;
  code: string;
  message: string;
}

export interface FailurePage {
  failures: FailedLine[];
  /** `start` of the next page. Undefined on the last page. */
  next?: number;
}

export interface ImportHistory {
  /** Returns imports, newest first. With `start`, the page begins with the import of that id. */
  list(page: { limit: number; start?: string }): Promise<ImportRecord[]>;
  find(importId: string): Promise<ImportRecord | undefined>;
  /**
   * Returns failed lines in order, from the line number `start` on. A page may hold fewer than `limit` lines
   * even if it is not the last. The cost does not depend on the position of the page.
   */
  listFailures(
    importId: string,
    page: { start: number; limit: number; code?: string },
  ): Promise<FailurePage | 'unknown-import' | 'expired'>;
  /**
   * Marks an import as rolled back, so that its active runs can write nothing more. Returns false if the
   * import is unknown, a dry run, already rolled back or expired.
   */
  beginRollback(importId: string): Promise<boolean>;
  /**
   * Rolls back an import, some thousand rows per step, after `beginRollback` returned true. The caller may
   * stop between steps and call `rollBack` again later.
   */
  rollBack(importId: string): AsyncGenerator<void>;
  /**
   * Deletes the records needed to roll back imports older than `days`, some thousand rows per call. Returns
   * the number of deleted rows.
   */
  expire(days: number): Promise<number>;
}
