import type pg from 'pg';
import { type Engine, lockingInOrder, type RowsToLock, readingRows, type Sender } from '../client/engine.ts';
import { groupByShard } from './group-by-shard.ts';
import { lockChange, lockOutChanges } from './lock-changes.ts';
import { isOfNode, nodeOf, normaliseCitusError } from './node-errors.ts';
import { prepareAllNodes } from './prepare-all-nodes.ts';

/*
 * This folder has everything that is particular to Citus. The rest of the code can be read without it:
 *
 * - this file, the `Engine` of Citus, and the files that it imports;
 * - `distributed-tables.ts`, `recognise-engine.ts` and `migrate`: the distribution of the tables;
 * - `users`: the statements about users that need another form (`UserQueries`).
 *
 * To remove Citus, delete this folder, test/postgres/citus, and the lines that import from them, which say "Citus".
 *
 * Rules for statements. Most statements are the same for both engines. A new statement suits Citus if
 *
 * 1. it names values of the distribution column (`distributed-tables.ts`), so that it reads one shard, or reads each table by
 *    itself, because a join of two tables sends rows from node to node;
 * 2. it locks rows of one shard only (`groupByShard`), or by `lockingRows`: Citus refuses `for update` over several shards;
 * 3. it takes the time once, in a subquery, if it writes the time to several tables: `now()` differs between nodes;
 * 4. it does not expect one snapshot of two tables, nor that all rows of one commit become visible together;
 * 5. its transaction calls `prepareAllNodes` if COPY or `insert … select` follows a read of the same table;
 * 6. it does not use functions that depend on settings, such as `to_jsonb` or a time as text, in `returning` (`lockRows`);
 * 7. it does not use a distributed table in `insert … values` into a table of the coordinator.
 *
 * test/postgres/statements replays every statement on a cluster.
 */

/** Locks rows in no order. Citus locks rows of several shards only by a statement that changes them. */
function lockingRows(rows: RowsToLock): string {
  if (!('noopColumn' in rows)) return lockingInOrder(rows, rows.shard === '' ? '' : ` and ${rows.shard}`);
  const { table, where, columns, noopColumn } = rows;
  const from = rows.with === undefined ? '' : `from ${rows.with}`;
  return `update ${table} login set ${noopColumn} = login.${noopColumn} ${from} where ${where} returning ${columns}`;
}

/** Reads by a second statement: Citus refuses functions that are not immutable in `returning`. */
async function lockRows<Row extends pg.QueryResultRow>(
  db: Sender,
  rows: RowsToLock,
  values: readonly unknown[],
  ofColumns: readonly unknown[] = [],
): Promise<Row[]> {
  const all = [...values, ...ofColumns];
  if (!('noopColumn' in rows)) return db.query<Row>(lockingRows(rows), all);
  await db.query(lockingRows({ ...rows, columns: `login.${rows.noopColumn}` }), values);
  return db.query<Row>(readingRows(rows), all);
}

export const CITUS: Engine = {
  name: 'citus',
  // The readiness probe reads a distributed table, so it fails if a node does not answer.
  probe: 'select 1 from users limit 1',
  // Chunks are larger than on one PostgreSQL, because a transaction costs more: each shard has a COPY of its
  // own, and the commit has two phases.
  chunkScale: 4,
  splitsMessages: true,
  normaliseError: normaliseCitusError,
  isOfOtherNode: isOfNode,
  nameOfUnavailable(error) {
    const node = nodeOf(error);
    return node === undefined ? 'the database' : `node ${node} of Citus`;
  },
  lockingRows,
  lockRows,
  shardCondition: (condition) => `and ${condition}`,
  groupByShard,
  lockChange,
  lockOutChanges,
  prepareAllNodes,
};
