import { CITUS } from '../../src/postgres/citus/citus.ts';
import { type Engine, ONE_POSTGRES } from '../../src/postgres/client/engine.ts';
import { allowConnections, onNodes, withDatabase } from './nodes.ts';
import { rowsOf } from './rows-of.ts';

/** Returns the URLs of the worker nodes of this Citus database, with the same account. */
export async function workersOf(uri: string): Promise<string[]> {
  const rows = await rowsOf<{ nodename: string; nodeport: number }>(
    uri,
    'select nodename, nodeport from pg_dist_node where groupid <> 0 and isactive order by groupid',
  );
  if (rows.length === 0) throw new Error('TEST_CITUS_URL has no nodes: add some with citus_add_node');
  return rows.map(({ nodename, nodeport }) => {
    const url = new URL(uri);
    url.hostname = nodename;
    url.port = String(nodeport);
    return url.href;
  });
}

/**
 * Makes the databases of this name one Citus cluster.
 * @param nodes the coordinator first
 */
export async function makeCluster(nodes: readonly string[], database: string): Promise<void> {
  const [coordinator = '', ...workers] = nodes.map((uri) => withDatabase(uri, database));
  await onNodes([coordinator, ...workers], 'create extension citus');
  const place = (uri: string) => {
    const { hostname, port } = new URL(uri);
    return `'${hostname}', ${port}`;
  };
  await rowsOf(coordinator, `select citus_set_coordinator_host(${place(coordinator)})`);
  for (const worker of workers) await rowsOf(coordinator, `select citus_add_node(${place(worker)})`);
}

/**
 * Closes the databases of this name to all connections, including Citus' maintenance daemon, so that each
 * node can copy them.
 */
export async function closeTemplate(nodes: readonly string[], database: string): Promise<void> {
  for (const uri of nodes) await allowConnections(uri, database, false);
  await onNodes(
    nodes,
    `select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = '${database}'`,
  );
}

/** Whether the tests run on several nodes. Tests that cannot are skipped, with the reason in their names. */
export const IS_CITUS = Boolean(process.env.TEST_CITUS_URL);

/**
 * Stand-ins for Citus functions, so that a single Postgres can run the statements for several nodes. Each
 * table has two shards.
 */
export const CITUS_STAND_INS = `
  create or replace function citus_relation_size(regclass) returns bigint language sql as 'select pg_relation_size($1)';
  create or replace function get_shard_id_for_distribution_column(regclass, text) returns bigint language sql
    as 'select abs(hashtext($2)) % 2'`;

/** Engines whose statements can run here. A single PostgreSQL runs the statements for Citus, too. */
export const TESTED_ENGINES: readonly Engine[] = IS_CITUS ? [CITUS] : [ONE_POSTGRES, CITUS];
