import type { Queryable } from '../client/connection.ts';

/** Matches no row, as the column is never null, and finds that out by its index. */
const NO_ROWS = 'update users set time_joined_ms = time_joined_ms where time_joined_ms is null';

/**
 * Has every node prepare its part of this transaction before any of them commits, under Citus. Needed in a transaction that reads a
 * distributed table and then writes to it by COPY, which `insert … select` does, too: Citus (13.2) takes a connection for one that only
 * reads where the COPY goes to a part of the table that was read before. It commits there last, and in one phase. A node that is lost in
 * that moment has lost its part, and the others have theirs.
 */
export async function prepareAllNodes(client: Queryable): Promise<void> {
  if (client.engine === 'citus') await client.query(NO_ROWS);
}
