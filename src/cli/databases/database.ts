import type { RecordBatch } from '../../sources/containers/table.ts';
import type { Survey } from '../../sources/pipeline/plan.ts';

/** A database that is read in place of a file: all of it as it was at one moment. */
export interface OpenDatabase {
  survey: Survey;
  /** Ends the snapshot, also in the midst of reading. Always returns. */
  close(): Promise<void>;
}

export interface DatabaseAsk {
  /** `--query`: read this in place of tables. */
  query?: string | undefined;
  /** Passwords may be in `PGPASSWORD`, in the file `PGPASSFILE`, in `MYSQL_PWD`. */
  env: NodeJS.ProcessEnv;
  /** Ends a statement that hangs: whoever waits for it gets the reason of the signal. */
  signal?: AbortSignal | undefined;
  /** Takes what the operator should know before the database is read. */
  warn?(message: string): void;
}

export type DatabaseKind = 'postgres' | 'mysql';

const SCHEMES: Readonly<Record<string, DatabaseKind>> = {
  postgres: 'postgres',
  postgresql: 'postgres',
  mysql: 'mysql',
  mariadb: 'mysql',
};

/** Which kind of database the argument names; undefined where it is a file. */
export function databaseKind(argument: string): DatabaseKind | undefined {
  const end = argument.indexOf('://');
  return end === -1 ? undefined : SCHEMES[argument.slice(0, end).toLowerCase()];
}

/** A table or a query, before it is read. */
export interface DatabaseTable {
  /** As a dump names it. */
  name: string;
  /** Of a query they are not known before. */
  columns: readonly string[];
  /** All its rows, in the order of its key. */
  statement: string;
  /** As `statement`, with what is large left out; undefined where the first rows tell nothing. */
  head: string | undefined;
}

/** The table that a query gives. */
const QUERY_TABLE = 'query';

export const queryTable = (query: string): DatabaseTable => ({
  name: QUERY_TABLE,
  columns: [],
  statement: query.trim().replace(/;$/, ''),
  head: undefined,
});

/** So many records are the head of a table. */
export const FIRST_RECORDS = 20;

export const ROWS_A_BATCH = 1000;
/** Fewer rows where they are large. */
export const BATCH_CHARACTERS = 8 * 1024 * 1024;
/** Larger values are left out of the head of a table. */
export const HEAD_VALUE_BYTES = 65_536;

/** Of databases with more tables, only those are sampled that may hold hashes, or what forms look at. */
const SAMPLED_TABLES_MAX = 200;
const OF_USERS = /pass|pwd|hash|mail_?verified|credential|identity_provider/i;

/** Forms look at flags of users, their hashes and providers; of few tables, the operator may want to see anything. */
export const isWorthSampling = (columns: readonly string[], tables: number): boolean =>
  tables <= SAMPLED_TABLES_MAX || columns.some((column) => OF_USERS.test(column));

/** How the rows of a database are read, table by table. */
export type ReadRows = (statement: string) => AsyncGenerator<RecordBatch['records']>;
