import type { Logger } from 'pino';
import { completeDistribution } from '../citus/migrate/distribute.ts';
import { Database } from '../client/database.ts';
import { applyMigrations, type Migration } from './apply-migrations.ts';

/** Maximum milliseconds of a statement: an hour, because a migration may build an index on millions of rows. */
const STATEMENT_TIMEOUT_MS = 60 * 60 * 1000;

/** One connection holds the migration lock, the other runs statements outside of its transaction. */
const CONNECTIONS = 2;

export async function migrateAlone(options: {
  uri: string;
  migrations: readonly Migration[];
  logger: Pick<Logger, 'info' | 'warn'>;
}): Promise<void> {
  const { uri, migrations, logger } = options;
  const db = new Database({
    uri,
    size: CONNECTIONS,
    timeoutMs: STATEMENT_TIMEOUT_MS,
    onIdleError: (error) => logger.warn({ err: error }, 'a database connection broke'),
  });
  try {
    const applied = await applyMigrations(db, migrations, {
      onWait: () => logger.info('waiting for another instance that migrates the database'),
      onBlocked: (transactions) =>
        logger.warn(
          { transactions },
          'a migration waits for the end of transactions that use its tables, which may be among these',
        ),
    });
    for (const name of applied) logger.info({ migration: name }, 'applied a migration');
    // On Citus, also adds tables and settings that a newer version of the service needs.
    const { tables, settings } = await completeDistribution(db);
    for (const table of tables) logger.info({ table }, 'distributed a new table');
    for (const setting of settings)
      logger.info({ setting }, 'changed a setting of the database that Citus needs');
  } finally {
    await db.close();
  }
}
