import type { RecordBatch } from '../../sources/containers/table.ts';
import type { Survey } from '../../sources/pipeline/plan.ts';

/** A database that the tool reads instead of a file, in one snapshot. */
export interface OpenDatabase {
  survey: Survey;
  /** Ends the snapshot and the connection, even during a read. Always resolves. */
  close(): Promise<void>;
}

export interface DatabaseAsk {
  /** Value of `--query`: a SELECT to read instead of the tables. */
  query?: string | undefined;
  env: NodeJS.ProcessEnv;
  /** Aborts a hanging statement, which then rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
  /** Called before the database is read, for example about an unverified TLS certificate. */
  warn?(message: string): void;
}

export type DatabaseKind = 'postgres' | 'mysql';

const SCHEMES: Readonly<Record<string, DatabaseKind>> = {
  postgres: 'postgres',
  postgresql: 'postgres',
  mysql: 'mysql',
  mariadb: 'mysql',
};

/** Returns undefined if the argument names a file. */
export function databaseKind(argument: string): DatabaseKind | undefined {
  const end = argument.indexOf('://');
  return end === -1 ? undefined : SCHEMES[argument.slice(0, end).toLowerCase()];
}

/** A table of the database, whose rows may be read as users. */
export interface DatabaseTable {
  /** Name of the table, as a dump of the database would write it. */
  name: string;
  columns: readonly string[];
  /** Statement that selects all rows, in the order of the primary key if there is one. */
  statement: string;
  /** Statement that selects the first rows without large values. Undefined if the table is not sampled. */
  head: string | undefined;
}

/** Number of records of a table that are read to recognise its content. */
export const FIRST_RECORDS = 20;

export const ROWS_A_BATCH = 1000;
/** Batches of large rows have fewer rows than ROWS_A_BATCH. */
export const BATCH_CHARACTERS = 8 * 1024 * 1024;
/** Values above this size are left out of the rows that are read to recognise a table. */
export const HEAD_VALUE_BYTES = 65_536;

/** Above this number of tables, only those are sampled whose column names suggest users. */
const SAMPLED_TABLES_MAX = 200;
const OF_USERS = /pass|pwd|hash|mail_?verified|credential|identity_provider/i;

/** In a small database all tables are sampled, because the operator may map the columns of any of them. */
export const isWorthSampling = (columns: readonly string[], tables: number): boolean =>
  tables <= SAMPLED_TABLES_MAX || columns.some((column) => OF_USERS.test(column));

export type ReadRows = (statement: string) => AsyncGenerator<RecordBatch['records']>;
