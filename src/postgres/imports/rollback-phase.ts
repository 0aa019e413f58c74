import type { RollbackCounts } from '../../imports/history/import-history.ts';
import type { Queryable } from '../client/connection.ts';

/** The last key (of one or two columns) that a step of the rollback has handled. */
export type Cursor = readonly [string, string];

/**
 * One step of a rollback: does part of the work, and deletes the handled rows from the record. `next` is where the
 * next step continues; undefined if nothing is left.
 */
export type RollbackPhase = (
  client: Queryable,
  importId: string,
  after: Cursor,
) => Promise<{ counts: Partial<RollbackCounts>; next: Cursor | undefined }>;
