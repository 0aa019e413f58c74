import type { RollbackCounts } from '../../imports/history/import-history.ts';
import type { Queryable } from '../client/connection.ts';

/** Key (one or two columns) of the last row that a step of a rollback has handled. */
export type Cursor = readonly [string, string];

/** Does one step, and deletes the handled rows. The phase continues at `next`, if rows are left. */
export type RollbackPhase = (
  client: Queryable,
  importId: string,
  after: Cursor,
) => Promise<{ counts: Partial<RollbackCounts>; next: Cursor | undefined }>;
