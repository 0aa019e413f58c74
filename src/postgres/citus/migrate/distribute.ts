import pg from 'pg';
import { until } from '../../../lib/async/until.ts';
import type { Queryable } from '../../client/connection.ts';
import { APPLICATION_NAME, Database } from '../../client/database.ts';
import { assertMigrated, readMigrations, withMigrationLock } from '../../migrate/apply-migrations.ts';
import {
  CITUS_SETTINGS,
  DISTRIBUTED,
  distributedTables,
  missingSettings,
  TABLES,
} from '../recognise-engine.ts';
import { checkCluster } from './check-cluster.ts';

/** Maximum milliseconds of a statement: a day, because one statement moves all rows of a table to other nodes. */
const STATEMENT_TIMEOUT_MS = 24 * 60 * 60 * 1000;

/**
 * With two shards per node, one can move to a new node when the number of nodes doubles. More shards slow
 * down every statement that uses all of them: with sixteen on two nodes, imports of single users ran at two
 * thirds of the rate.
 */
const SHARDS_PER_NODE = 2;
const LEAST_SHARDS = 4;

/**
 * Setting of Citus: number of connections to each node that a session keeps; 1 by default. Statements open further
 * connections anew.
 */
const CACHED_CONNECTIONS = 'citus.max_cached_conns_per_worker';

interface DistributeOptions {
  uri: string;
  shards?: number | undefined;
  say?(text: string): void;
  warn?(text: string): void;
}

/**
 * Distributes the tables over the nodes of Citus, with all of their rows, in one transaction. Tables that are
 * already distributed stay as they are. No instance of the service may run meanwhile, because it would still
 * use statements for one PostgreSQL.
 * @throws {Error} with what is missing
 */
export async function distributeAlone(options: DistributeOptions): Promise<void> {
  const { uri, say, warn } = options;
  const db = new Database({ uri, size: 1, timeoutMs: STATEMENT_TIMEOUT_MS, onIdleError: () => {} });
  try {
    await assertMigrated(db, readMigrations());
    for (const advice of await checkCluster(db)) warn?.(advice);
    const isPartial = (await undistributed(db)).length > 0;
    if (isPartial)
      await assertNoInstances(
        db,
        (places) =>
          `connections of running instances (from ${places}): stop all of them first. Idle connections of PgBouncer look the same: close them with PAUSE`,
      );
    // The settings are set before the tables are distributed, so that no instance can find the tables
    // distributed without them.
    await changeSettings(db, say);
    await withMigrationLock(db, (client) => distribute(client, options));
    if (isPartial)
      await assertNoInstances(
        db,
        (places) =>
          `all tables are distributed, but instances were started meanwhile (from ${places}): restart them`,
      );
  } catch (error) {
    throw inPlainWords(error);
  } finally {
    await db.close();
  }
}

/**
 * Distributes tables that a migration has added, if others are distributed. Also sets the Citus settings that are
 * missing if an earlier version distributed the tables, or after restoring a dump without them. Returns the names of
 * these tables and settings. Only new sessions have the settings.
 */
export async function completeDistribution(db: Database): Promise<{ tables: string[]; settings: string[] }> {
  if ((await distributedTables(db)).length === 0) return { tables: [], settings: [] };
  return withMigrationLock(db, async (client) => {
    const settings = await missingSettings(client);
    if (settings.length > 0) await changeSettings(client);
    return { tables: await distribute(client), settings: settings.map(({ name }) => name) };
  });
}

/** Milliseconds for which PostgreSQL may still list closed connections as open. */
const GRACE_MS = 5000;

/**
 * Waits up to GRACE_MS until no instance of the service is connected. An instance always has a connection,
 * because it polls for staged users. Idle connections of a pooler look the same.
 */
async function assertNoInstances(db: Queryable, words: (places: string) => string): Promise<void> {
  let rows: { place: string }[] = [];
  const areGone = await until(async () => {
    rows = await db.query<{ place: string }>(
      `select distinct coalesce(host(client_addr), 'this machine') as place from pg_stat_activity
       where datname = current_database() and application_name = $1 and pid <> pg_backend_pid() order by place`,
      [APPLICATION_NAME],
    );
    return rows.length === 0;
  }, GRACE_MS);
  if (!areGone) throw new Error(words(rows.map(({ place }) => place).join(', ')));
}

async function undistributed(db: Queryable): Promise<string[]> {
  const done = await distributedTables(db);
  return TABLES.filter((table) => !done.includes(table));
}

/** Returns the names of the tables that were not distributed before. */
async function distribute(
  client: Queryable,
  { shards, say }: Pick<DistributeOptions, 'shards' | 'say'> = {},
): Promise<string[]> {
  const todo = await undistributed(client);
  // All tables are locked before the first is distributed. Otherwise another transaction that uses two of
  // them could deadlock with this one.
  if (todo.length > 0) await client.query(`lock table ${todo.join(', ')} in access exclusive mode`);
  // One copy of each row, whatever the setting of the database: a second copy would not take part in
  // transactions.
  await client.query('set local citus.shard_replication_factor = 1');
  await assertShards(client, shards);
  const count = shards ?? (await usualShards(client));
  for (const group of DISTRIBUTED) {
    const [[first = ''] = []] = group;
    for (const [table, column] of group) {
      if (!todo.includes(table)) {
        say?.(`${table}: is distributed already`);
        continue;
      }
      // The first table may already be distributed, with another number of shards. The others take its
      // number.
      const [parts, where] =
        table === first
          ? [`shard_count => ${count}, colocate_with => 'none'`, `in ${count} parts`]
          : [`colocate_with => '${first}'`, `beside ${first}`];
      await client.query(`select create_distributed_table('${table}', '${column}', ${parts})`);
      await client.query(`select truncate_local_data_after_distributing_table('${table}')`);
      say?.(`${table}: distributed by ${column}, ${where}`);
    }
  }
  return todo;
}

/**
 * Checks the number of shards.
 * @throws {Error} if distributed tables have another number than the operator requests
 */
async function assertShards(client: Queryable, shards: number | undefined): Promise<void> {
  if (shards === undefined) return;
  const others = await client.query<{ name: string; parts: number }>(
    `select table_name::text as name, shard_count::int as parts from citus_tables
     where table_name::text = any ($1) and shard_count <> $2 order by name`,
    [TABLES, shards],
  );
  if (others.length === 0) return;
  const counts = others.map(({ name, parts }) => `${name} has ${parts}`).join(', ');
  throw new Error(
    `--shards ${shards}: ${counts}. Tables that are distributed already keep their parts: leave --shards out, or stop all instances and write the rows anew with alter_distributed_table first`,
  );
}

/** Returns the number of shards of the distributed tables, or else one that suits the number of nodes. */
async function usualShards(client: Queryable): Promise<number> {
  const [row] = await client.query<{ given: number | null; nodes: number }>(
    `select (select shard_count::int from citus_tables where table_name = 'users'::regclass) as given,
       (select count(*)::int from pg_dist_node where shouldhaveshards and isactive) as nodes`,
  );
  return row?.given ?? Math.max(LEAST_SHARDS, SHARDS_PER_NODE * (row?.nodes ?? 0));
}

async function changeSettings(db: Queryable, say?: (text: string) => void): Promise<void> {
  const [row] = await db.query<{ name: string; cached: string }>(
    'select quote_ident(current_database()) as name, current_setting($1) as cached',
    [CACHED_CONNECTIONS],
  );
  // Only 1, the default of Citus, is raised. Any other number was set by the operator and is kept.
  const settings = row?.cached === '1' ? { ...CITUS_SETTINGS, [CACHED_CONNECTIONS]: '16' } : CITUS_SETTINGS;
  for (const [setting, value] of Object.entries(settings)) {
    await db.query(`alter database ${row?.name} set ${setting} = '${value}'`);
    say?.(`${setting} = ${value}`);
  }
}

/**
 * Adds to an error about missing permissions what to do. The error is the same from nodes and from the coordinator:
 * `permission denied for schema public`.
 */
function inPlainWords(error: unknown): unknown {
  if (!(error instanceof pg.DatabaseError) || error.code !== '42501') return error;
  return new Error(
    `${error.message}: the role has to own the database and its tables; let it own the database on each node, with "alter database … owner to …"`,
    { cause: error },
  );
}
