import { onTestFinished } from 'vitest';
import { CliError } from '../../../src/cli/cli-error.ts';
import type { DatabaseAsk } from '../../../src/cli/databases/database-uri.ts';
import { type OpenDatabase, openPostgres } from '../../../src/cli/databases/open-postgres.ts';

/** Opens a database until the end of the test. */
export async function opened(uri: string, ask: Partial<DatabaseAsk> = {}): Promise<OpenDatabase> {
  const database = await openPostgres(uri, { env: {}, ...ask });
  onTestFinished(() => database.close());
  return database;
}

export async function recordsOf({ survey }: OpenDatabase, table: string): Promise<unknown[]> {
  const records: unknown[] = [];
  for await (const batch of survey.read(({ name }) => name === table)) {
    if (batch.firstRow !== records.length + 1) throw new Error(`row ${batch.firstRow} comes out of turn`);
    records.push(...batch.records);
  }
  return records;
}

/** Returns the message of the error. */
export async function problemOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
  } catch (error) {
    if (error instanceof CliError && error.cause === undefined) return error.message;
    throw error;
  }
  throw new Error('nothing went wrong');
}
