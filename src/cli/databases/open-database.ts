import { type DatabaseAsk, databaseKind, type OpenDatabase } from './database.ts';

/**
 * Returns undefined if the argument names a file. Database drivers are loaded on demand.
 * @throws {CliError} if the database cannot be read; the message holds no secrets
 */
export async function openDatabase(argument: string, ask: DatabaseAsk): Promise<OpenDatabase | undefined> {
  switch (databaseKind(argument)) {
    case 'postgres': {
      const { openPostgres } = await import('./open-postgres.ts');
      return openPostgres(argument, ask);
    }
    case 'mysql': {
      const { openMysql } = await import('./open-mysql.ts');
      return openMysql(argument, ask);
    }
    case undefined:
      return undefined;
  }
}
