import type { BulkPace } from '../bulk-pace.ts';
import { addRollbackCounts, type ImportHistory, type RollbackCounts } from './import-history.ts';

export type RollbackOutcome =
  | { outcome: 'rolled-back'; rollback: RollbackCounts }
  | { outcome: 'unknown-import' }
  /** The records needed for the rollback are deleted. `rollback` counts what an interrupted one undid. */
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
  // Without this check, an import that begins between the two calls would be reported as expired.
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
