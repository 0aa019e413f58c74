import { type DatabaseAsk, databaseKind, type OpenDatabase } from './database.ts';

/**
 * Opens the database that an argument of the command line names; undefined where it names none, but a file. The drivers are
 * loaded only then.
 * @throws {Stopped} where it cannot be read, saying why and nothing secret
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
