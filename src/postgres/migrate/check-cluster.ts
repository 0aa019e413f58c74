import type { Queryable } from '../client/connection.ts';
import { adviceOn, type NodeSettings, refusalOf, SETTINGS_OF_NODES } from './judge-nodes.ts';

/**
 * Can tables be distributed over these nodes? Returns what had better be otherwise.
 * @throws {Error} saying what is missing
 */
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
  const [version] = await db.query<{ citus: string }>("select split_part(citus_version(), ' ', 2) as citus");
  return adviceOn(nodes, version?.citus ?? '');
}

async function readNodes(db: Queryable): Promise<NodeSettings[]> {
  // The command goes to the nodes as text.
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
