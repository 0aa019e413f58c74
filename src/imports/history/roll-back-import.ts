import type { BulkPace } from '../bulk-pace.ts';
import { addRollbackCounts, type ImportHistory, type RollbackCounts } from './import-history.ts';

export type RollbackOutcome =
  | { outcome: 'rolled-back'; rollback: RollbackCounts }
  | { outcome: 'unknown-import' }
  /** It was too long ago: nothing, or no more, is undone. */
  | { outcome: 'expired'; rollback: RollbackCounts };

/**
 * Undoes an import, except where users have signed in or been changed since: they are left as they are. A rollback that
 * broke off goes on where it was, one that is done tells again what it did. Stops between two steps when `signal` aborts.
 * @throws the signal's reason
 */
export async function rollBackImport(
  { imports, pace }: { imports: ImportHistory; pace: BulkPace },
  importId: string,
  signal?: AbortSignal,
): Promise<RollbackOutcome> {
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
  // Of a dry run there is nothing to undo.
  return { outcome: dryRun || isRollbackFinished ? 'rolled-back' : 'expired', rollback };
}
