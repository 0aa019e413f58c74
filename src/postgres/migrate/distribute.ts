import type { Queryable } from '../client/connection.ts';
import { Database } from '../client/database.ts';
import { DISTRIBUTED } from '../client/engine.ts';
import { distributedTables } from '../client/recognise-engine.ts';
import { assertMigrated } from './apply-migrations.ts';
import { withMigrationLock } from './migration-lock.ts';
import { readMigrations } from './read-migrations.ts';

/** Longest a statement may take, in ms: a day, as one moves all rows of a table to other nodes. */
const STATEMENT_TIMEOUT_MS = 24 * 60 * 60 * 1000;

/** How long to wait for an instance that migrates, in ms. */
const WAIT_MS = 60 * 60 * 1000;

/** Parts of each table. A node has some of them, so this is the most nodes there can be. */
const SHARDS = 16;

/**
 * What Citus has to do otherwise than it does by itself, for all sessions of the database: settings of a session do not get through a
 * pooler.
 */
export const CITUS_SETTINGS: Readonly<Record<string, string>> = {
  // `set local` reaches the nodes: a lock is waited for there.
  'citus.propagate_set_commands': 'local',
  // A statement goes to the parts of a table one after the other: two of them that meet do not wait for each other crosswise.
  'citus.multi_shard_modify_mode': 'sequential',
};

/**
 * Longest that Citus should wait, in ms, before it ends what a lost node left prepared (`citus.recover_2pc_interval`). Until then its
 * rows are locked: an import of the same user that is sent again waits. A minute by default, and a setting of the server.
 */
const RECOVERY_MS = 10_000;

export interface DistributeOptions {
  uri: string;
  shards?: number | undefined;
  say?(text: string): void;
}

/**
 * Distributes the tables over the nodes of Citus, with all of their rows. What is distributed already stays as it is.
 * @throws {Error} saying what is missing
 */
export async function distributeAlone({
  uri,
  shards = SHARDS,
  say = () => {},
}: DistributeOptions): Promise<void> {
  const db = new Database({ uri, size: 1, timeoutMs: STATEMENT_TIMEOUT_MS, onIdleError: () => {} });
  try {
    await assertMigrated(db, readMigrations());
    await checkCluster(db);
    await withMigrationLock(db, { waitMs: WAIT_MS }, (client) => distribute(client, { shards, say }));
    await changeSettings(db, say);
    await adviseRecovery(db, say);
  } finally {
    await db.close();
  }
}

/** @throws {Error} saying what is missing */
async function checkCluster(db: Queryable): Promise<void> {
  const [extension] = await db.query("select from pg_extension where extname = 'citus'");
  if (extension === undefined)
    throw new Error('the database has no Citus: run "create extension citus" in it');
  const [nodes] = await db.query<{ count: number }>(
    'select count(*)::int as count from pg_dist_node where shouldhaveshards and isactive',
  );
  if (!nodes?.count)
    throw new Error('Citus has no nodes for the rows: add some with "select citus_add_node(…)"');
  const unprepared = await db.query<{ nodename: string; nodeport: number }>(
    `select nodename, nodeport from run_command_on_all_nodes('show max_prepared_transactions')
     join pg_dist_node using (nodeid) where not success or result = '0'`,
  );
  const [first] = unprepared;
  if (first !== undefined) {
    throw new Error(
      `node ${first.nodename}:${first.nodeport} has max_prepared_transactions = 0: set it to max_connections or more on all nodes`,
    );
  }
}

/** Distributes the tables that a migration has added, where the others are. Returns their names. */
export async function distributeNew(db: Database): Promise<string[]> {
  const added: string[] = [];
  if ((await distributedTables(db)).length === 0) return added;
  await withMigrationLock(db, { waitMs: WAIT_MS }, (client) =>
    distribute(client, { shards: SHARDS, say: () => {} }, added),
  );
  return added;
}

/** @param added takes the names of the tables that were not distributed yet */
async function distribute(
  client: Queryable,
  { shards, say }: { shards: number; say(text: string): void },
  added: string[] = [],
): Promise<void> {
  const done = new Set(await distributedTables(client));
  for (const group of DISTRIBUTED) {
    const [[first = ''] = []] = group;
    for (const [table, column] of group) {
      if (done.has(table)) {
        say(`${table}: is distributed already`);
        continue;
      }
      const parts =
        table === first ? `shard_count => ${shards}, colocate_with => 'none'` : `colocate_with => '${first}'`;
      await client.query(`select create_distributed_table('${table}', '${column}', ${parts})`);
      await client.query(`select truncate_local_data_after_distributing_table('${table}')`);
      added.push(table);
      say(`${table}: distributed by ${column}`);
    }
  }
}

async function changeSettings(db: Queryable, say: (text: string) => void): Promise<void> {
  const [row] = await db.query<{ name: string }>('select quote_ident(current_database()) as name');
  for (const [setting, value] of Object.entries(CITUS_SETTINGS)) {
    await db.query(`alter database ${row?.name} set ${setting} = '${value}'`);
    say(`${setting} = ${value}`);
  }
}

async function adviseRecovery(db: Queryable, say: (text: string) => void): Promise<void> {
  const [row] = await db.query<{ ms: number }>(
    "select setting::int as ms from pg_settings where name = 'citus.recover_2pc_interval'",
  );
  if (row === undefined || (row.ms > 0 && row.ms <= RECOVERY_MS)) return;
  say(
    `citus.recover_2pc_interval is ${row.ms} ms: set it to 5s on the coordinator (alter system), as users in hand when a node is lost wait that long`,
  );
}
