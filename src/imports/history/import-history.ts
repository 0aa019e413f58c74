import type { MatchBy, OnConflict } from '../import-request.ts';
import type { HashCounts } from '../resolve/hash-counts.ts';
import type { FailureCounts } from '../resolve/line-failures.ts';
import type { OutcomeCounts } from '../resolve/outcome.ts';

export interface ImportRecord {
  importId: string;
  /** Name of the API key that began the import. */
  keyName: string;
  dryRun: boolean;
  onConflict: OnConflict;
  matchBy: MatchBy;
  source?: string;
  hashingSecretId?: string;
  /** When the import began, in milliseconds since the epoch. All times in this interface are in this unit. */
  startedAtMs: number;
  /**
   * Time when the import reached the end of its lines. Undefined while it runs, and if it was interrupted.
   */
  finishedAtMs?: number;
  /** When the rollback of the import began, in milliseconds since the epoch. */
  rolledBackAtMs?: number;
  isRollbackFinished: boolean;
  /**
   * Time from which on a part of the import's record is deleted. An expired import can be neither resumed nor
   * rolled back.
   */
  expiredAtMs?: number;
  /**
   * Whether a run of the import has begun and not ended. Also true if the process of the last run was killed.
   */
  isRunning: boolean;
  /**
   * Time of the last update of the import's record. Undefined if an earlier version of the service wrote the
   * record.
   */
  updatedAtMs?: number;
  /** Maximum number of missing users (see `MissingCounts`) that the import may remove. */
  deleteMissing?: number;
  missing?: MissingCounts;
  /** Number of lines of the import that the client announced. */
  total?: number;
  outcomes: OutcomeCounts;
  /** Number of failed lines of the import, by error code. */
  failures: FailureCounts;
  /** Number of logins written, by hash algorithm. Logins without a hash are counted under `thirdparty`. */
  algorithms: Record<string, number>;
  /**
   * Number of imported hashes by algorithm and strength class. Empty for imports of an earlier version of the
   * service.
   */
  hashes: HashCounts;
  /**
   * Total duration of all runs of the import so far, in milliseconds. A run that was killed counts until its
   * last recorded progress.
   */
  durationMs: number;
  rollback?: RollbackCounts;
}

/** Counts of missing users: users of earlier imports of the same source whom no line of this import names. */
export interface MissingCounts {
  found: number;
  removed: number;
  /**
   * Number of missing users who are kept, because they have signed in or changed something in this service.
   */
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
 * Counts of the rollback of an import. Users and logins that were used or changed since the import are kept,
 * and counted as kept. A login whose hash no longer exists also counts under `hashesKept`.
 */
export type RollbackCounts = Record<(typeof ROLLBACK_COUNTS)[number], number>;

export function addRollbackCounts(a: Partial<RollbackCounts>, b: Partial<RollbackCounts>): RollbackCounts {
  const sums = ROLLBACK_COUNTS.map((name) => [name, (a[name] ?? 0) + (b[name] ?? 0)]);
  return Object.fromEntries(sums) as RollbackCounts;
}

/** Line of an import that failed, with its error code and message. */
export interface FailedLine {
  line: number;
  code: string;
  message: string;
}

export interface FailurePage {
  failures: FailedLine[];
  /**
   * Line number from which to list the next page of failed lines. The first of them may be some lines later.
   * Undefined on the last page.
   */
  next?: number;
}

/**
 * Store of past imports and of their rollback. Methods throw AppError STORAGE_UNAVAILABLE while the database
 * cannot be reached.
 */
export interface ImportHistory {
  /** Returns imports, newest first. With `start`, the page begins with the import of that id. */
  list(page: { limit: number; start?: string }): Promise<ImportRecord[]>;
  find(importId: string): Promise<ImportRecord | undefined>;
  /**
   * Returns the failed lines of an import in order, from the line number `start` on. With `code`, only lines
   * that failed with this code. A page may hold fewer than `limit` lines even if it is not the last. The cost
   * does not depend on the position of the page.
   */
  listFailures(
    importId: string,
    page: { start: number; limit: number; code?: string },
  ): Promise<FailurePage | 'unknown-import' | 'expired'>;
  /**
   * Marks an import as rolled back, so that its active runs can write nothing more. Returns false if there is
   * nothing to roll back: the import is unknown, a dry run, already rolled back or expired.
   */
  beginRollback(importId: string): Promise<boolean>;
  /**
   * Rolls back an import, some thousand rows per step, after `beginRollback` returned true. The caller may
   * stop between steps and call the method again later.
   */
  rollBack(importId: string): AsyncGenerator<void>;
  /**
   * Deletes the records needed to roll back imports older than `days`, up to some thousand rows per call.
   * Returns the number of deleted rows.
   */
  expire(days: number): Promise<number>;
}
