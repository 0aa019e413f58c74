import { createHash } from 'node:crypto';
import type { RecordBatch, SourceRecord, TableHead } from '../../sources/containers/table.ts';
import { QUERY_TABLE } from '../../sources/fields/tables.ts';
import type { Survey } from '../../sources/pipeline/plan.ts';
import { CliError } from '../cli-error.ts';

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

type DatabaseKind = 'postgres' | 'mysql';

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

export interface DatabaseAddress {
  /** The database's URI for messages, without user, password and options. */
  name: string;
  host: string | undefined;
  port: number | undefined;
  user: string | undefined;
  password: string | undefined;
  database: string | undefined;
  /** Options of the URI by name, in lower case and without hyphens and underscores. */
  options: ReadonlyMap<string, string>;
}

const HOW =
  'Write postgres://user@host:5432/database or mysql://user@host:3306/database, with %40 for an @, %2F for a /, %23 for a # and %3F for a ? in a user or a password. A password is better in PGPASSWORD or MYSQL_PWD.';

/** @throws {CliError} if the URI is malformed; the message does not show any part, which may be a password */
export function readDatabaseAddress(uri: string): DatabaseAddress {
  const broken = new CliError(`The URI of the database cannot be read. ${HOW}`);
  // A URI may have no host (`postgres://ada@/app?host=/run/postgresql`), but URL needs one.
  const whole = uri.replace('@/', '@localhost/');
  if (!URL.canParse(whole)) throw broken;
  const url = new URL(whole);
  const path = url.pathname.replace(/^\//, '');
  // An unescaped `/`, `?` or `#` ends the host too early, so the path or query has the rest of the password.
  if (/[@/]/.test(path) || url.search.includes('@') || url.hash !== '') throw broken;
  let decoded: (string | undefined)[];
  try {
    decoded = [url.hostname.replace(/^\[(.+)\]$/, '$1'), url.username, url.password, path].map(
      (part) => decodeURIComponent(part) || undefined,
    );
  } catch {
    throw broken;
  }
  const [host, user, password, database] = decoded;
  return {
    name: `${url.protocol}//${url.host}${url.pathname}`,
    host,
    port: url.port === '' ? undefined : Number(url.port),
    user,
    password,
    database,
    options: readOptions(url, broken),
  };
}

function readOptions({ searchParams }: URL, broken: CliError): ReadonlyMap<string, string> {
  const options = new Map<string, string>();
  for (const [given, value] of searchParams) {
    const name = given.toLowerCase().replace(/[-_]/g, '');
    if ((options.get(name) ?? value) !== value) throw broken;
    options.set(name, value);
  }
  return options;
}

/** Explanations of error codes that PostgreSQL and MySQL share: network, TLS, and this tool's own codes. */
const EXPLANATIONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'there is no such host',
  EAI_AGAIN: 'the name of the host cannot be looked up',
  ENOENT: 'there is no such socket',
  EACCES: 'this user may not open the socket',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the host cannot be reached',
  ETIMEDOUT: 'it does not answer',
  NO_ANSWER: 'it does not answer',
  PASSWORD_WANTED:
    'it asks for the unencrypted password, which is sent only to a verified server. Name its CA with sslrootcert=ca.pem (MySQL: ssl-ca=ca.pem), or use its socket',
  NO_CHANNEL_BINDING: 'it binds the password to no certificate, which channel_binding=require asks for',
  NO_TLS: 'it has no TLS, which the URI asks for',
  LOST: 'the connection was lost. Run it again: it reads from the start',
  ECONNRESET: 'the connection was lost. Run it again: it reads from the start',
  EPIPE: 'the connection was lost. Run it again: it reads from the start',
  SAME_NAME: 'two columns of the query have the same name. Give one another name: select a.id, b.id as b_id',
  NO_ROWS: 'the query gives no rows: expected one SELECT',
};

const UNTRUSTED =
  /CERT|SELF_SIGNED|UNABLE_TO_(?:VERIFY|GET)|^ERR_TLS|^ERR_SSL|^HANDSHAKE_SSL_ERROR$|^ERR_OSSL/;

/** The message is made from the error code alone, because messages of databases may quote data. */
export function databaseProblem(
  name: string,
  code: string,
  why: Readonly<Record<string, string>> = {},
): CliError {
  const known = why[code] ?? EXPLANATIONS[code];
  if (known !== undefined) return new CliError(`${name}: ${known}.`);
  return UNTRUSTED.test(code)
    ? new CliError(
        `${name}: its TLS certificate is not trusted (${code}). Name the CA: ?sslmode=verify-full&sslrootcert=ca.pem`,
      )
    : new CliError(`${name}: cannot be read (${code}).`);
}

export interface SurveyedTable {
  head: TableHead;
  statement: string;
}

/**
 * Returns a database in the form in which files are surveyed.
 * @param identity equal only for the same rows, so that an import of the same snapshot can be resumed
 */
export function surveyOf(
  name: string,
  identity: readonly string[],
  tables: readonly SurveyedTable[],
  readRows: ReadRows,
): Survey {
  return {
    name,
    container: 'sql',
    tables: tables.map(({ head }) => head),
    digest: createHash('sha256').update(identity.join('\0')).digest('hex'),
    async *read(wanted) {
      for (const { head, statement } of tables) {
        if (!wanted(head)) continue;
        let firstRow = 1;
        for await (const records of readRows(statement)) {
          yield { table: head, firstRow, records };
          firstRow += records.length;
        }
      }
    },
  };
}

export const headOf = (
  name: string,
  columns: readonly string[],
  first: TableHead['first'] = [],
): TableHead => ({ container: 'sql', name, columns: new Set(columns), first, root: {} });

/** In parentheses, only a SELECT is valid. The line break before `)` ends a trailing `--` comment. */
export async function surveyQuery(
  {
    name,
    ask,
  }: { name: string; ask(statement: string): Promise<{ rows: SourceRecord[]; columns: readonly string[] }> },
  query: string,
): Promise<SurveyedTable> {
  const statement = query.trim().replace(/;$/, '');
  const { rows, columns } = await ask(`select * from (${statement}\n) as t limit ${FIRST_RECORDS}`);
  if (new Set(columns).size < columns.length) throw databaseProblem(name, 'SAME_NAME');
  return { head: headOf(QUERY_TABLE, columns, rows), statement };
}
