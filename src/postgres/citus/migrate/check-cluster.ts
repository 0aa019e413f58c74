import type { Queryable } from '../../client/connection.ts';
import { DISTRIBUTED } from '../distributed-tables.ts';
import { adviceOn, type NodeSettings, refusalOf, SETTINGS_OF_NODES } from './judge-nodes.ts';

/** @throws {Error} with what is missing for distributing tables over the nodes */
export async function checkCluster(db: Queryable): Promise<string[]> {
  const [extension] = await db.query("select from pg_extension where extname = 'citus'");
  if (extension === undefined)
    throw new Error('the database has no Citus: run "create extension citus" in it, on all nodes');
  const [places] = await db.query<{ count: number }>(
    'select count(*)::int as count from pg_dist_node where shouldhaveshards and isactive',
  );
  if (!places?.count)
    throw new Error('Citus has no nodes for the rows: add some with "select citus_add_node(…)"');
  const nodes = await readNodes(db);
  const refusal = refusalOf(nodes);
  if (refusal !== undefined) throw new Error(refusal);
  await assertNoOtherTables(db);
  const [version] = await db.query<{ citus: string }>("select split_part(citus_version(), ' ', 2) as citus");
  return adviceOn(nodes, version?.citus ?? '');
}

async function readNodes(db: Queryable): Promise<NodeSettings[]> {
  // The nodes' query is a quoted text in the statement, so the quotes of the setting names are doubled.
  const names = SETTINGS_OF_NODES.map((name) => `''${name}''`).join(', ');
  const rows = await db.query<{ node: string; success: boolean; result: string }>(
    `select nodename || ':' || nodeport as node, success, result
     from run_command_on_all_nodes('select json_object_agg(name, setting) from pg_settings where name in (${names})')
     join pg_dist_node using (nodeid) order by groupid`,
  );
  return rows.map(({ node, success, result }) => {
    if (!success) throw new Error(`node ${node} does not answer: ${result}`);
    return { node, settings: JSON.parse(result) as NodeSettings['settings'] };
  });
}

/** Migrations applied to a worker by mistake create tables that make distributing fail. */
async function assertNoOtherTables(db: Queryable): Promise<void> {
  // The nodes' query is a quoted text in the statement, so the quotes of the names are doubled. Workers have
  // a copy of pg_dist_partition.
  const names = DISTRIBUTED.flat().map(([table]) => `''${table}''`);
  const rows = await db.query<{ node: string; tables: string }>(
    `select nodename || ':' || nodeport as node, result as tables
     from run_command_on_workers('select string_agg(name, '', '') from unnest(array[${names.join(', ')}]) name
       where to_regclass(name) is not null and not exists (select from pg_dist_partition where logicalrelid = to_regclass(name))')
     where success and result <> ''`,
  );
  if (rows.length === 0) return;
  const places = rows.map(({ node, tables }) => `node ${node} has ${tables}`).join('; ');
  throw new Error(
    `there are tables of the service that are not distributed: ${places}. If the schema was created there by mistake, drop all tables of the service on that node`,
  );
}
