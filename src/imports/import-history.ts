import { Poller } from '../lib/async/until.ts';
import type { BulkPace } from './bulk-pace.ts';
import type { MatchBy, OnConflict } from './import-request.ts';
import type { HashCounts } from './resolve/imported-hashes.ts';
import type { FailureCounts, OutcomeCounts } from './resolve/outcome.ts';

export const IMPORT_STATUS = ['UNFINISHED', 'FINISHED', 'ROLLBACK_UNFINISHED', 'ROLLED_BACK'] as const;

export type ImportStatus = (typeof IMPORT_STATUS)[number];

export interface ImportRecord {
  importId: string;
  name?: string;
  status: ImportStatus;
  keyName: string;
  dryRun: boolean;
  onConflict: OnConflict;
  matchBy: MatchBy;
  source?: string;
  trustExternalIds?: boolean;
  hashingSecretId?: string;
  /** Milliseconds since the epoch, as all times in this interface. */
  startedAtMs: number;
  /** Time at which the import reached the end of its lines. Undefined while it runs, and if it was interrupted. */
  finishedAtMs?: number;
  rolledBackAtMs?: number;
  /** Time at which a part of the import's record was deleted. Since then, it can be neither resumed nor rolled back. */
  expiredAtMs?: number;
  /** Whether a run has begun and not ended; also true if its process was killed. */
  isRunning: boolean;
  /** Undefined if an earlier version of the service wrote the record. */
  updatedAtMs?: number;
  deleteMissing?: number;
  missing?: MissingCounts;
  total?: number;
  outcomes: OutcomeCounts;
  failures: FailureCounts;
  /**
   * Number of logins written, by hash algorithm. Password logins without a hash are counted under the reason for it
   * (`NoHash`), and third-party logins under `thirdparty`.
   */
  algorithms: Record<string, number>;
  /** Empty for imports of an earlier version of the service. */
  hashes: HashCounts;
  /** Total duration of all runs. A run that was killed counts until its last recorded progress. */
  durationMs: number;
  rollback?: RollbackCounts;
}

/** Counts of missing users: users of earlier imports of the same source who are in no line of this import. */
export interface MissingCounts {
  found: number;
  removed: number;
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
 * Counts of a rollback, which keeps users, hashes and addresses that were used or changed since the import.
 * `hashesKept` also counts hashes that no longer exist.
 */
export type RollbackCounts = Record<RollbackCount, number> & {
  /** Ids of the first users of whom something was kept, external ids where there are any. Omitted if there are none. */
  keptUserIds?: readonly string[];
};

export type RollbackCount = (typeof ROLLBACK_COUNTS)[number];

/** Maximum number of users that the counts of a rollback name. */
export const MAX_KEPT_IDS = 100;

export function addRollbackCounts(a: Partial<RollbackCounts>, b: Partial<RollbackCounts>): RollbackCounts {
  const sums = ROLLBACK_COUNTS.map((name) => [name, (a[name] ?? 0) + (b[name] ?? 0)]);
  const kept = new Set([...(a.keptUserIds ?? []), ...(b.keptUserIds ?? [])]);
  const keptUserIds = [...kept].slice(0, MAX_KEPT_IDS);
  return { ...Object.fromEntries(sums), ...(kept.size > 0 && { keptUserIds }) };
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

export interface ImportPage {
  limit: number;
  start?: string;
  /** Restricts the list to imports whose name, id or source contains this text. Case is ignored. */
  search?: string;
  status?: ImportStatus;
}

export interface ImportHistory {
  /** Returns imports, newest first. With `start`, the page begins with the import of that id. */
  list(page: ImportPage): Promise<ImportRecord[]>;
  find(importId: string): Promise<ImportRecord | undefined>;
  /** Returns failed lines in order, from line `start` on. A page can be short or empty even if it is not the last. */
  listFailures(
    importId: string,
    page: { start: number; limit: number; code?: string },
  ): Promise<FailurePage | 'unknown-import' | 'expired'>;
  /**
   * Begins a rollback: ends active runs of the import. Returns false if the import is unknown, a dry run, already
   * rolled back or expired.
   */
  beginRollback(importId: string): Promise<boolean>;
  /**
   * Rolls back in steps of some thousand rows, after `beginRollback`. Can be stopped between steps, and called again.
   * @param mayRunTwo whether other work leaves room for a second step at the same time
   */
  rollBack(importId: string, mayRunTwo: () => boolean): AsyncGenerator<void>;
  /**
   * Deletes the records that rollbacks of imports older than `days` days would need, some thousand rows per call.
   * Returns the number of deleted rows.
   */
  expire(days: number): Promise<number>;
}

export type RollbackOutcome =
  | { outcome: 'rolled-back'; rollback: RollbackCounts }
  | { outcome: 'unknown-import' }
  /**
   * The records needed for the rollback were deleted. `rollback` counts what an earlier, interrupted rollback has
   * undone.
   */
  | { outcome: 'expired'; rollback: RollbackCounts };

/**
 * Undoes an import, except for users who have signed in or been changed since. Resumes an interrupted
 * rollback; a finished one is not repeated.
 * @throws the reason of the signal, between two steps
 */
export async function rollBackImport(
  { imports, pace }: { imports: ImportHistory; pace: BulkPace },
  importId: string,
  signal?: AbortSignal,
): Promise<RollbackOutcome> {
  // Without this check, an import that begins between `beginRollback` and the second `find` would be reported as
  // expired.
  if ((await imports.find(importId)) === undefined) return { outcome: 'unknown-import' };
  if (await imports.beginRollback(importId)) {
    const steps = imports.rollBack(importId, () => pace.isUnlimited);
    try {
      while (!(await pace.step(() => steps.next())).done) signal?.throwIfAborted();
    } finally {
      await steps.return(undefined);
    }
  }
  const record = await imports.find(importId);
  if (record === undefined) return { outcome: 'unknown-import' };
  const { rollback = addRollbackCounts({}, {}), dryRun, status } = record;
  // A dry run has nothing to undo, so its rollback always succeeds.
  return { outcome: dryRun || status === 'ROLLED_BACK' ? 'rolled-back' : 'expired', rollback };
}

/** Milliseconds between two deletions. An hour is often enough, because records expire after days. */
const INTERVAL_MS = 60 * 60 * 1000;

interface ExpiryDeps {
  imports: Pick<ImportHistory, 'expire'>;
  days: number;
  /** Deletes hashes of users who moved to an identity provider long ago, and returns their number. */
  expireMoved?: (() => Promise<number>) | undefined;
  onError(error: unknown): void;
}

/** Deletes the records needed to roll back imports that are older than `days` (import_undo_days). */
export function createExpiry({ imports, days, expireMoved, onError }: ExpiryDeps): Poller {
  const poller: Poller = new Poller({
    pauseMs: INTERVAL_MS,
    onError,
    work: async () => {
      while (!poller.isStopped && (await imports.expire(days)) > 0);
      while (!poller.isStopped && expireMoved !== undefined && (await expireMoved()) > 0);
    },
  });
  return poller;
}
