import type { RollbackCounts } from '../../imports/history/import-history.ts';
import type { Queryable } from '../client/connection.ts';

/** Key of the last row (one or two columns) that a step of a rollback has handled. */
export type Cursor = readonly [string, string];

/**
 * Does one step of a rollback, and deletes the handled rows from the import's record. `next` is where the
 * next step of this phase continues; undefined if nothing is left.
 */
export type RollbackPhase = (
  client: Queryable,
  importId: string,
  after: Cursor,
) => Promise<{ counts: Partial<RollbackCounts>; next: Cursor | undefined }>;
