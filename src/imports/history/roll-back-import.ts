import type { BulkPace } from '../bulk-pace.ts';
import { addRollbackCounts, type ImportHistory, type RollbackCounts } from './import-history.ts';

export type RollbackOutcome =
  | { outcome: 'rolled-back'; rollback: RollbackCounts }
  | { outcome: 'unknown-import' }
  /**
   * The import cannot be rolled back (further), because the records needed for it are deleted. An earlier
   * rollback may have been interrupted; `rollback` has its counts.
   */
  | { outcome: 'expired'; rollback: RollbackCounts };

/**
 * Undoes an import, except for users who have signed in or been changed since. Resumes an interrupted
 * rollback. For a finished rollback, returns its counts again. Stops between two steps when `signal` aborts.
 * @throws the reason of the signal
 */
export async function rollBackImport(
  { imports, pace }: { imports: ImportHistory; pace: BulkPace },
  importId: string,
  signal?: AbortSignal,
): Promise<RollbackOutcome> {
  // Unknown imports are refused before the rollback begins. Otherwise an import that begins between the two
  // calls would be reported as expired.
  if ((await imports.find(importId)) === undefined) return { outcome: 'unknown-import' };
  if (await imports.beginRollback(importId)) {
    const steps = imports.rollBack(importId);
    try {
      while (!(await pace.step(() => steps.next())).done) signal?.throwIfAborted();
    } finally {
      await steps.return(undefined);
    }
  }
  const record = await imports.find(importId);
  if (record === undefined) return { outcome: 'unknown-import' };
  const { rollback = addRollbackCounts({}, {}), dryRun, isRollbackFinished } = record;
  // A dry run has nothing to undo, so its rollback always succeeds.
  return { outcome: dryRun || isRollbackFinished ? 'rolled-back' : 'expired', rollback };
}
