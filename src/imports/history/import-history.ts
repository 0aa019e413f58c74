import type { OnConflict } from '../import-request.ts';
import type { HashCounts } from '../resolve/hash-counts.ts';
import type { FailureCounts } from '../resolve/line-failures.ts';
import type { OutcomeCounts } from '../resolve/outcome.ts';

/** The stored record of an import. */
export interface ImportRecord {
  importId: string;
  /** The name of the api-key it was begun with. */
  keyName: string;
  dryRun: boolean;
  onConflict: OnConflict;
  hashingSecretId?: string;
  /** ms since the epoch, as all times here. */
  startedAtMs: number;
  /** When it came to the end of its lines; undefined while it runs, and when it broke off. */
  finishedAtMs?: number;
  /** When its rollback began. */
  rolledBackAtMs?: number;
  isRollbackFinished: boolean;
  /** Since when part of the record is removed: the import can be neither resumed nor rolled back. */
  expiredAtMs?: number;
  /** A run has it in hand, or was killed. */
  isRunning: boolean;
  /** When something of it was recorded last. Undefined: in an earlier version. */
  updatedAtMs?: number;
  /** How many lines the sender announced. */
  total?: number;
  outcomes: OutcomeCounts;
  /** Number of failed lines by error code. */
  failures: FailureCounts;
  /** Logins written, by algorithm; `thirdparty` for those without a hash. */
  algorithms: Record<string, number>;
  /** Number of imported hashes by class. Imports of an earlier version have none. */
  hashes: HashCounts;
  /** How long its runs took, so far. A run that was killed counts until something was recorded last. */
  durationMs: number;
  rollback?: RollbackCounts;
}

export const ROLLBACK_COUNTS = [
  'usersRemoved',
  'usersKept',
  'hashesRestored',
  'hashesKept',
  'emailsRestored',
  'emailsKept',
] as const;

/**
 * Counts of a rollback. Records that were used or changed since the import are kept, and counted as such. A hash that is gone counts as
 * kept, too.
 */
export type RollbackCounts = Record<(typeof ROLLBACK_COUNTS)[number], number>;

export function addRollbackCounts(a: Partial<RollbackCounts>, b: Partial<RollbackCounts>): RollbackCounts {
  const sums = ROLLBACK_COUNTS.map((name) => [name, (a[name] ?? 0) + (b[name] ?? 0)]);
  return Object.fromEntries(sums) as RollbackCounts;
}

/** A line that failed, and why. */
export interface FailedLine {
  line: number;
  code: string;
  message: string;
}

export interface FailurePage {
  failures: FailedLine[];
  /** The line that the next page begins with, or a line before it; undefined on the last page. */
  next?: number;
}

/** The imports that there were, and what undoes them. Throws AppError STORAGE_UNAVAILABLE while the database cannot be reached. */
export interface ImportHistory {
  /** Newest first, from the one with the id `start` on. */
  list(page: { limit: number; start?: string }): Promise<ImportRecord[]>;
  find(importId: string): Promise<ImportRecord | undefined>;
  /**
   * The lines that failed, in order, from the line `start` on, and of one code only where that is given. A page may hold fewer
   * than `limit` although it is not the last. Costs the same wherever the page is.
   */
  listFailures(
    importId: string,
    page: { start: number; limit: number; code?: string },
  ): Promise<FailurePage | 'unknown-import' | 'expired'>;
  /**
   * Ends the import for good: whatever still runs of it can write nothing more. Returns false where there is nothing to
   * roll back: the import is unknown, a dry run, rolled back already or expired.
   */
  beginRollback(importId: string): Promise<boolean>;
  /**
   * Rolls back an import for which `beginRollback` returned true, some thousand rows a step. It may be left between steps,
   * and begun again.
   */
  rollBack(importId: string): AsyncGenerator<void>;
  /** Forgets what imports did more than `days` ago, up to some thousand rows. Returns how many it forgot. */
  expire(days: number): Promise<number>;
}
