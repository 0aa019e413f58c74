import type { RollbackCounts } from '../../imports/history/import-history.ts';
import type { Queryable } from '../client/connection.ts';

/** The last key that a step dealt with: of one column or two. */
export type Cursor = readonly [string, string];

/**
 * One step of a rollback: does some of the work, and deletes what it dealt with from the record. `next` is where the next
 * step goes on; undefined when nothing is left.
 */
export type RollbackPhase = (
  client: Queryable,
  importId: string,
  after: Cursor,
) => Promise<{ counts: Partial<RollbackCounts>; next: Cursor | undefined }>;
