import type pg from 'pg';
import { type Engine, lockingInOrder, type RowsToLock, readingRows, type Sender } from '../client/engine.ts';
import { isOfNode, nodeOf, normaliseCitusError } from './node-errors.ts';

/*
 * This folder has everything that is particular to Citus. The rest of the code can be read without it:
 *
 * - this file, the `Engine` of Citus, and `node-errors.ts`;
 * - `recognise-engine.ts` and `migrate`: the distribution of the tables;
 * - `users`: the statements about users that need another form (`UserQueries`).
 *
 * To remove Citus, delete this folder, test/postgres/citus, and the lines that import from them, which say "Citus".
 *
 * Rules for statements. Most statements are the same for both engines. A new statement suits Citus if
 *
 * 1. it names values of the distribution column (`recognise-engine.ts`), so that it reads one shard, or reads each table by
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

/**
 * Returns the statement that locks rows. Citus can lock rows of several shards only by a statement that changes them,
 * which locks them in no particular order.
 */
function lockingRows(rows: RowsToLock): string {
  if (!('noopColumn' in rows)) return lockingInOrder(rows, rows.shard === '' ? '' : ` and ${rows.shard}`);
  const { table, where, columns, noopColumn } = rows;
  const from = rows.with === undefined ? '' : `from ${rows.with}`;
  return `update ${table} login set ${noopColumn} = login.${noopColumn} ${from} where ${where} returning ${columns}`;
}

/**
 * Locks rows, and reads them by a second statement, because Citus refuses functions that are not immutable in
 * `returning`.
 */
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

/**
 * Groups values by shard. Returns the positions of the values of each shard, which count from 1, in the order of the
 * shards. Reads only the catalogue of Citus.
 */
const BY_SHARD = `
  select array_agg(place::int order by place) as places
  from (
    select place, get_shard_id_for_distribution_column($1::regclass, value) as part
    from unnest($2::text[]) with ordinality as t (value, place)
  ) placed
  group by part order by part`;

/*
 * Locks on the coordinator. A transaction commits on one node after the other, and each node releases its row locks
 * when it commits. A transaction that waited for such a lock may not see yet what was inserted on another node: the
 * login whose e-mail moved, for example. The locks of this file are released when all nodes have committed.
 */

/** Key of the lock on all users: shared by changes of a single user, exclusive for a change of many users. */
const ALL = '7130218849203751';

/** Returns which of these users other transactions are changing. Does not wait for them. */
export async function readChanging(db: Sender, userIds: readonly string[]): Promise<Set<string>> {
  const rows = await db.query<{ id: string }>(
    'select id from unnest($1::text[]) id where not pg_try_advisory_xact_lock_shared(hashtextextended(id, 0))',
    [userIds],
  );
  return new Set(rows.map(({ id }) => id));
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

  // A statement for one group runs on one node, which locks the rows in the order of the key. All transactions use
  // the same order of groups, so that two of them cannot deadlock. A statement for all items would send all values
  // to every shard.
  async groupByShard(db, table, items, keyOf) {
    if (items.length === 0) return [];
    if (items.length === 1) return [items];
    const rows = await db.query<{ places: number[] }>(BY_SHARD, [table, items.map(keyOf)]);
    return rows.map(({ places }) => places.flatMap((place) => items.slice(place - 1, place)));
  },

  async lockChange(client, userId) {
    await client.query(
      'select pg_advisory_xact_lock_shared($1::bigint), pg_advisory_xact_lock(hashtextextended($2, 0))',
      [ALL, userId],
    );
  },

  // Waits for all changes of single users, and keeps new ones waiting.
  async lockOutChanges(client) {
    await client.query('select pg_advisory_xact_lock($1::bigint)', [ALL]);
  },

  // Makes every node prepare its part of this transaction before any node commits. Citus 13.2 treats a connection as
  // read-only if a COPY goes to a shard that was read before, and commits there last, in one phase. If that node is
  // lost at that moment, its part of the transaction is lost, while the other nodes keep theirs. The statement runs
  // on all nodes and changes no row: the index shows that the column is never null.
  async prepareAllNodes(client) {
    await client.query('update users set time_joined_ms = time_joined_ms where time_joined_ms is null');
  },
};
