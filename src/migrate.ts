import { readConfig } from './config/read-config.ts';
import { createLogger } from './lib/log.ts';
import { readMigrations } from './postgres/migrate/read-migrations.ts';
import { configOrExit, fail } from './service/exit.ts';
import { migrateAlone } from './service/start-service.ts';

// `npm run migrate`: brings the schema up to date and ends, for deployments with `migrate_on_start: false`.
const config = configOrExit(readConfig(process.env));
const uri = config.postgresql_connection_uri;
if (uri === undefined)
  fail('Set POSTGRESQL_CONNECTION_URI: the embedded database is migrated at every start.');

const logger = createLogger(config.log_level);
const onIdleError = (error: Error) => logger.warn({ err: error }, 'a database connection broke');
try {
  await migrateAlone({ uri, onIdleError, migrations: readMigrations(), logger });
  logger.info('the schema is up to date');
} catch (error) {
  fail(`Cannot migrate: ${error instanceof Error ? error.message : 'unknown error'}`);
}
