import type { Queryable } from '../../client/connection.ts';
import { TABLES } from '../recognise-engine.ts';

/**
 * Checks that tables can be distributed over the nodes. Returns advice about settings.
 * @throws {Error} with what is missing
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
  await assertNoOtherTables(db);
  const [version] = await db.query<{ citus: string }>("select split_part(citus_version(), ' ', 2) as citus");
  return adviceOn(nodes, version?.citus ?? '');
}

async function readNodes(db: Queryable): Promise<NodeSettings[]> {
  const rows = await db.query<{ node: string; success: boolean; result: string }>(
    `select nodename || ':' || nodeport as node, success, result
     from run_command_on_all_nodes('select json_object_agg(name, setting) from pg_settings')
     join pg_dist_node using (nodeid) order by groupid`,
  );
  return rows.map(({ node, success, result }) => {
    if (!success) throw new Error(`node ${node} does not answer: ${result}`);
    return { node, settings: JSON.parse(result) as NodeSettings['settings'] };
  });
}

/**
 * Throws if a worker has tables of the service that are not distributed. Migrations applied to a worker by mistake
 * create them, and they make distributing fail.
 */
async function assertNoOtherTables(db: Queryable): Promise<void> {
  // The nodes' query is a quoted text in the statement, so the quotes of the names are doubled. Workers have
  // a copy of pg_dist_partition.
  const names = TABLES.map((table) => `''${table}''`);
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

export interface NodeSettings {
  /** `host:port`. */
  node: string;
  /** Values as `pg_settings` has them: times are in milliseconds. */
  settings: Readonly<Record<string, string>>;
}

/** Versions of Citus and PostgreSQL with which the service was tested. */
const TRIED = { citus: /^13\.2(\.|$)/, postgres: 15 };

/** Locales with English messages, because `node-errors.ts` recognises errors by their texts. */
const ENGLISH = /^(C|POSIX|en)(?![A-Za-z])|^English/;

/**
 * Maximum citus.recover_2pc_interval without advice. With a longer one, rows that a lost node had locked stay locked
 * for longer than callers wait.
 */
const LONG_RECOVERY_MS = 15_000;

export function refusalOf(nodes: readonly NodeSettings[]): string | undefined {
  for (const { node, settings } of nodes) {
    if (!ENGLISH.test(settings.lc_messages ?? ''))
      return `node ${node} has lc_messages = '${settings.lc_messages ?? ''}': set it to 'C' or 'en_US.UTF-8' on all nodes, as errors of nodes are told apart by their words`;
    if (!Number(settings.max_prepared_transactions))
      return `node ${node} has max_prepared_transactions = 0: set it to max_connections or more on all nodes`;
  }
  return undefined;
}

/** @param citus version of Citus, such as 13.2.2 */
export function adviceOn(nodes: readonly NodeSettings[], citus: string): string[] {
  const advice: string[] = [];
  const majors = new Set(
    nodes.map(({ settings }) => Math.floor(Number(settings.server_version_num) / 10_000)),
  );
  if (!TRIED.citus.test(citus) || [...majors].some((major) => major !== TRIED.postgres)) {
    advice.push(
      `this is Citus ${citus} on PostgreSQL ${[...majors].join(', ')}; what was tried is Citus 13.2 on PostgreSQL ${TRIED.postgres}`,
    );
  }
  for (const { node, settings } of nodes) {
    const advise = (text: string) => advice.push(`node ${node}: ${text}`);
    const { max_prepared_transactions: prepared, max_connections: connections } = settings;
    if (Number(prepared) < Number(connections))
      advise(
        `max_prepared_transactions = ${prepared} is below max_connections = ${connections}: under load, commits may fail`,
      );
    if (settings.wal_level !== 'logical')
      advise(
        `wal_level = ${settings.wal_level}: only with 'logical' can tables be moved to new nodes without an interruption`,
      );
    if (settings.synchronous_commit === 'off')
      advise(
        'synchronous_commit = off: after a crash, this node loses its last commits, and the others do not',
      );
    const recovery = Number(settings['citus.recover_2pc_interval']);
    if (recovery >= 0 && recovery <= LONG_RECOVERY_MS) continue;
    const lasts = recovery < 0 ? 'for ever' : `for up to ${recovery / 1000} s`;
    advise(
      `citus.recover_2pc_interval = ${recovery} ms: rows that a lost node had locked stay locked ${lasts}; 5 s is enough`,
    );
  }
  return advice;
}
