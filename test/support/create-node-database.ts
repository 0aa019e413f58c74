import { createLogger } from '../../src/lib/log.ts';
import { distributeAlone } from '../../src/postgres/citus/migrate/distribute.ts';
import { readMigrations } from '../../src/postgres/migrate/apply-migrations.ts';
import { migrateAlone } from '../../src/postgres/migrate/migrate-alone.ts';
import { makeCluster } from './citus.ts';
import { onNodes, withDatabase } from './nodes.ts';

/**
 * Creates a database with the tables of the service. Returns its URI.
 * @param nodes the coordinator first; with several nodes, the tables are distributed over them
 * @param shards number of shards, if not the default
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
