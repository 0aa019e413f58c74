import { readConfig } from './config/read-config.ts';
import { hasEmbeddedPostgres } from './embedded-postgres/start-embedded-postgres.ts';
import { createLogger } from './lib/log.ts';
import { migrateAlone } from './postgres/migrate/migrate-alone.ts';
import { readMigrations } from './postgres/migrate/read-migrations.ts';
import { configOrExit, fail } from './service/exit.ts';

// `npm run migrate`: brings the schema up to date and ends, for deployments with `migrate_on_start: false`.
const config = configOrExit(readConfig(process.env, { embeddedPostgres: hasEmbeddedPostgres() }));
const uri = config.postgresql_connection_uri;
if (uri === undefined)
  fail('Set POSTGRESQL_CONNECTION_URI: the embedded database is migrated at every start.');

const logger = createLogger(config.log_level);
try {
  await migrateAlone({ uri, migrations: readMigrations(), logger });
  logger.info('the schema is up to date');
} catch (error) {
  fail(`Cannot migrate: ${error instanceof Error ? error.message : 'unknown error'}`);
}
