import { parseArgs } from 'node:util';
import { readConfig } from './config/read-config.ts';
import { hasEmbeddedPostgres } from './embedded-postgres/start-embedded-postgres.ts';
import { createLogger } from './lib/log.ts';
import { distributeAlone } from './postgres/citus/migrate/distribute.ts';
import { readMigrations } from './postgres/migrate/apply-migrations.ts';
import { migrateAlone } from './postgres/migrate/migrate-alone.ts';
import { configOrExit, fail } from './service/exit.ts';

// `user-import-core migrate` is for deployments that switch `migrate_on_start` off.
const USAGE = 'user-import-core migrate [--distribute [--shards N]]';

const HELP = `${USAGE}

Brings the schema of the database (POSTGRESQL_CONNECTION_URI) up to date, and ends.

  --distribute  then distributes the tables over the nodes of Citus, with all of their rows, and sets the settings of the
                database that Citus needs. Stop all instances first, and connect to the coordinator directly, not through
                a pooler. May be repeated: distributed tables stay as they are. If it is interrupted, no row has moved.
  --shards N    number of shards of each table: as many as there will be nodes, or more (default: twice the nodes, at least 4)
  --help        shows this text

Exit code 0: success; 1: failure, with the reason on stderr. docs/citus.md says when it is worth it.
`;

const { distribute, shards } = options();
const { config } = configOrExit(
  readConfig(process.env, { embeddedPostgres: hasEmbeddedPostgres(), answersCalls: false }),
);
const uri = config.postgresql_connection_uri;
if (uri === undefined)
  fail('Set POSTGRESQL_CONNECTION_URI: the embedded database is migrated at every start.');

const logger = createLogger(config.log_level);
try {
  await migrateAlone({ uri, migrations: readMigrations(), logger });
  logger.info('the schema is up to date');
  if (distribute) {
    const say = (text: string) => logger.info(text);
    const warn = (text: string) => logger.warn(text);
    await distributeAlone({ uri, shards, say, warn });
  }
} catch (error) {
  fail(`Cannot migrate: ${error instanceof Error ? error.message : 'unknown error'}`);
}

function options(): { distribute: boolean; shards: number | undefined } {
  try {
    const { values } = parseArgs({
      options: {
        distribute: { type: 'boolean', default: false },
        shards: { type: 'string' },
        help: { type: 'boolean', default: false },
      },
    });
    const { distribute, shards, help } = values;
    if (help) {
      process.stdout.write(HELP);
      process.exit(0);
    }
    if (shards === undefined) return { distribute, shards };
    if (!distribute || !/^[1-9][0-9]{0,2}$/.test(shards))
      fail(`--shards: a number up to 999, with --distribute. ${USAGE}`);
    return { distribute, shards: Number(shards) };
  } catch (error) {
    return fail(`${error instanceof Error ? error.message : 'unknown flag'}. ${USAGE}`);
  }
}
