import type { BulkPace } from '../bulk-pace.ts';
import { addRollbackCounts, type ImportHistory, type RollbackCounts } from './import-history.ts';

export type RollbackOutcome =
  | { outcome: 'rolled-back'; rollback: RollbackCounts }
  | { outcome: 'unknown-import' }
  /** It was too long ago: nothing is undone, or nothing more. */
  | { outcome: 'expired'; rollback: RollbackCounts };

/**
 * Undoes an import, except for users who have signed in or been changed since. A rollback that broke off goes on where it
 * was. For a rollback that is finished, its counts are returned again. Stops between two steps when `signal` aborts.
 * @throws the signal's reason
 */
export async function rollBackImport(
  { imports, pace }: { imports: ImportHistory; pace: BulkPace },
  importId: string,
  signal?: AbortSignal,
): Promise<RollbackOutcome> {
  // First: one that begins meanwhile is not to be taken for one that cannot be undone any more.
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
  // A dry run has nothing to undo.
  return { outcome: dryRun || isRollbackFinished ? 'rolled-back' : 'expired', rollback };
}
