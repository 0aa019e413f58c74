import { hasErrno } from '../../lib/errors.ts';
import { CliError } from '../cli-error.ts';
import { type DatabaseAsk, databaseKind, type OpenDatabase } from './database.ts';

/**
 * Returns undefined if the argument names a file. Database drivers are loaded on demand.
 * @throws {CliError} if the database cannot be read; the message holds no secrets
 */
export async function openDatabase(argument: string, ask: DatabaseAsk): Promise<OpenDatabase | undefined> {
  switch (databaseKind(argument)) {
    case 'postgres': {
      const { openPostgres } = await import('./open-postgres.ts').catch(driverMissing('pg'));
      return openPostgres(argument, ask);
    }
    case 'mysql': {
      const { openMysql } = await import('./open-mysql.ts').catch(driverMissing('mysql2'));
      return openMysql(argument, ask);
    }
    case undefined:
      return undefined;
  }
}

/** npm leaves the drivers out with `--omit=optional`. */
const driverMissing = (name: string) => (error: unknown) => {
  if (!hasErrno(error, 'ERR_MODULE_NOT_FOUND')) throw error;
  throw new CliError(`Reading a live database needs the npm package ${name}: npm install ${name}`);
};
