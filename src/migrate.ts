import { parseArgs } from 'node:util';
import { readConfig } from './config/read-config.ts';
import { hasEmbeddedPostgres } from './embedded-postgres/start-embedded-postgres.ts';
import { createLogger } from './lib/log.ts';
import { distributeAlone } from './postgres/migrate/distribute.ts';
import { migrateAlone } from './postgres/migrate/migrate-alone.ts';
import { readMigrations } from './postgres/migrate/read-migrations.ts';
import { configOrExit, fail } from './service/exit.ts';

// `npm run migrate`: brings the schema up to date and ends, for deployments with `migrate_on_start: false`. With `-- --distribute` it also
// distributes the tables over the nodes of a Citus database.
const USAGE = 'npm run migrate [-- --distribute [--shards N]]';

const { distribute, shards } = options();
const config = configOrExit(readConfig(process.env, { embeddedPostgres: hasEmbeddedPostgres() }));
const uri = config.postgresql_connection_uri;
if (uri === undefined)
  fail('Set POSTGRESQL_CONNECTION_URI: the embedded database is migrated at every start.');

const logger = createLogger(config.log_level);
try {
  await migrateAlone({ uri, migrations: readMigrations(), logger });
  logger.info('the schema is up to date');
  if (distribute) await distributeAlone({ uri, shards, say: (text) => logger.info(text) });
} catch (error) {
  fail(`Cannot migrate: ${error instanceof Error ? error.message : 'unknown error'}`);
}

function options(): { distribute: boolean; shards: number | undefined } {
  try {
    const { values } = parseArgs({
      options: { distribute: { type: 'boolean', default: false }, shards: { type: 'string' } },
    });
    const { distribute, shards } = values;
    if (shards === undefined) return { distribute, shards };
    if (!distribute || !/^[1-9][0-9]{0,2}$/.test(shards))
      fail(`--shards: a number up to 999, with --distribute. ${USAGE}`);
    return { distribute, shards: Number(shards) };
  } catch (error) {
    return fail(`${error instanceof Error ? error.message : 'unknown flag'}. ${USAGE}`);
  }
}
