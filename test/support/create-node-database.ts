import { createLogger } from '../../src/lib/log.ts';
import { distributeAlone } from '../../src/postgres/migrate/distribute.ts';
import { migrateAlone } from '../../src/postgres/migrate/migrate-alone.ts';
import { readMigrations } from '../../src/postgres/migrate/read-migrations.ts';
import { makeCluster } from './citus.ts';
import { onNodes, withDatabase } from './nodes.ts';

/**
 * Makes a database with our tables, which must not be there yet. Returns where it is.
 * @param nodes the coordinator first; several: the tables are distributed over them
 * @param shards as many as there are by default, unless told otherwise
 */
export async function createNodeDatabase(
  nodes: readonly string[],
  name: string,
  shards?: number,
): Promise<string> {
  const [coordinator = ''] = nodes;
  const uri = withDatabase(coordinator, name);
  await onNodes(nodes, `create database ${name}`);
  if (nodes.length > 1) await makeCluster(nodes, name);
  await migrateAlone({ uri, migrations: readMigrations(), logger: createLogger('warn') });
  if (nodes.length > 1) await distributeAlone({ uri, shards });
  return uri;
}
