import type { JsonObject } from '../../lib/json/json-object.ts';
import type { CsvWriterName } from './csv/csv-writers.ts';

/** Kind of an export file, detected from its bytes. */
export type ContainerName = ExportFormat | 'hash-config' | 'signer-key';

export const EXPORT_FORMATS = [
  'csv',
  'json',
  'sql',
  'ldif',
  'shadow',
  'passwd',
  'htpasswd',
  'htdigest',
  'dovecot',
  'dokuwiki',
  'smbpasswd',
] as const;

export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/**
 * One record of an export file: a value for each column name. The type of the values depends on the kind of
 * file:
 * - JSON: as parsed by `JSON.parse`, but a number that a float would change is an `ExactNumber`. Extended
 *   JSON is resolved: `{"$oid"}` → text, `{"$date"}` → ISO text, `{"$numberLong"}` → number. The values of
 *   DynamoDB (`{"S": …}`) are resolved, too, if all records of a list are typed.
 * - CSV: text; null for an unquoted `NULL` or `\N`, unless its writer has other words for null. An empty cell is an
 *   empty text.
 * - SQL: text, for numbers as well (as written in the dump); null for NULL.
 * - LDIF: a list of texts for `dn` and for each attribute (lower case, without options).
 * - shadow, passwd, htpasswd and other files with colons: text. Column names are the field names.
 */
export type SourceRecord = JsonObject;

/** A record that cannot be read. It is a class, because an object read from a file may have members of any name. */
export class BadRecord {
  readonly problem: RecordProblem;
  /** Message about the bad record, shown to the operator without values of the record. */
  readonly message: string;
  /** Values of the bad record that help to identify the user. */
  readonly partial?: SourceRecord;
  /** Private, so that a record from a file can never pass for a BadRecord. */
  readonly #isOurs = true;

  constructor(problem: RecordProblem, message: string, partial?: SourceRecord) {
    this.problem = problem;
    this.message = message;
    if (partial !== undefined) this.partial = partial;
  }

  static isOne(value: object): value is BadRecord {
    return #isOurs in value && value.#isOurs;
  }
}

export const RECORD_PROBLEMS = [
  'JSON_INVALID',
  'COLUMNS_MISSING',
  'SQL_INVALID',
  'LDIF_INVALID',
  'RECORD_TOO_LONG',
] as const;

export type RecordProblem = (typeof RECORD_PROBLEMS)[number];

/** Properties of a table of an export that are known before all of its records are read. */
export interface TableHead {
  container: ContainerName;
  /**
   * Name of the table in the export.
   * - SQL: without quotes, with the schema if the dump has one (`auth.users`).
   * - JSON: path of the array (`users`, `db.0.data.users`), or empty for an array or for lines at the root.
   *   For Django fixtures it is the model (`auth.user`); for JSON of phpMyAdmin it is the table.
   * - Other kinds of files: empty.
   */
  name: string;
  /** Names of the columns. For JSON, all members of the first records. Empty for CSV without a header. */
  columns: ReadonlySet<string>;
  /** For CSV of Firebase, which has no header: number of cells of the first record. Columns are named `0`, `1`, …. */
  cells?: number;
  /** At most 20 records of the table. */
  first: readonly SourceRecord[];
  /** For JSON: small members of the object that contains the array of records, without the array. */
  root: JsonObject;
  /**
   * For JSON: set if the list is at a path that no known system has. Only at the end of the file, `isTable` shows
   * whether the file is a database, and the list a table. Otherwise a user may have chosen the list.
   */
  found?: { isTable: boolean };
  /** For JSON: whether the file has several lists of records. Their names then count as names of tables. */
  isOneOfSeveral?: boolean;
  /** For SQL: the table has no rows. An empty `first` does not show it: with many tables, records are left out. */
  isEmpty?: boolean;
  /**
   * For SQL: foreign keys, with names of tables as in `name`. May grow until the end: dumps have them after the rows.
   */
  references?: readonly ForeignKey[];
  /** For JSON: whether the file has one document per line. */
  isLines?: boolean;
}

export interface ForeignKey {
  column: string;
  table: string;
}

export interface RecordBatch {
  table: TableHead;
  /** Row number of the first record within its table, from 1. Headers do not count. */
  firstRow: number;
  records: readonly (SourceRecord | BadRecord)[];
}

export const isBadRecord = (record: SourceRecord | BadRecord): record is BadRecord => BadRecord.isOne(record);

export interface ReadOptions {
  /** Kind of file that the operator named. Files of hash parameters are detected nevertheless. */
  format?: ExportFormat;
  /** Label that `TextDecoder` knows, for export files that are not UTF-8. */
  encoding?: string;
  /** Path of the array with users in JSON (`a.b`). */
  jsonPath?: string;
  /** Program that wrote the CSV files. */
  csv?: CsvWriterName;
  /** Columns of CSV, as the operator named them. */
  columns?: ToldColumns;
  /** System that wrote an SQL dump, if the dump does not show whether backslashes are escapes. */
  sqlDialect?: SqlDialect;
}

/** Names of the columns of CSV without a header. `header`: the first row is a header, although it looks like a user. */
export type ToldColumns = readonly string[] | 'header';

export type SqlDialect = 'postgres' | 'mysql' | 'mysql-no-backslash' | 'sqlite' | 'mssql';

/** An export file. It is opened several times: the survey and the import each read it from its start. */
export interface SourceFile {
  name: string;
  sizeBytes?: number;
  open(): AsyncIterable<Buffer>;
}

/**
 * Reads one kind of export file in bounded memory, whatever the size and content of the file.
 * @param bytes can be read repeatedly from the start
 * @param wanted returns whether the import needs a table. Called once per table, as soon as its head is
 * known; `first` holds the records read so far
 */
export type Container = (
  bytes: AsyncIterable<Buffer>,
  options: ReadOptions,
  wanted: (table: TableHead) => boolean,
) => AsyncGenerator<RecordBatch>;

/** Maximum size of a record, which must fit into memory several times. Larger records of an export are not users. */
export const MAX_RECORD_BYTES = 16 * 1024 * 1024;

/** Beginning of an export file, by which the kind of the file is detected. */
export interface Beginning {
  /** First bytes of the file, decoded to UTF-8. */
  head: Buffer;
  text: string;
  /** Whether the file ends within these bytes. */
  isWhole: boolean;
}

/**
 * How well the beginning of an export file matches one kind of file.
 * - `certain`: it matches from the first byte on, and no other kind of file begins like this.
 * - `fits`: all of the beginning matches, but another kind of file might begin like this.
 * - `{ but }`: it starts like this kind, but a later part does not match. The text says which part, and
 *   quotes nothing from the file.
 * - undefined: it does not start like this kind.
 */
export type KindMatch = 'certain' | 'fits' | BrokenMatch | undefined;

export interface BrokenMatch {
  but: string;
  /** If missing, the operator is asked to name the kind of the file. */
  advice?: string;
}

/** Number of lines by which the kind of a file is detected. More lines would not make it more reliable. */
const MAX_LINES = 200;

/** Returns the first lines of a file. The last one may be cut off, so it is left out unless the file ends there. */
export function linesOf({ text, isWhole }: Beginning): string[] {
  const lines = text.split(/\r?\n/, MAX_LINES + 1);
  return isWhole ? lines : lines.slice(0, Math.max(1, lines.length - 1));
}

/** A problem of a whole export file rather than of one record. */
export class FileProblem extends Error {
  readonly code: 'ENCODING_INVALID' | 'FILE_TRUNCATED' | 'FILE_UNKNOWN' | 'FILE_INVALID';
  constructor(code: FileProblem['code'], message: string) {
    super(message);
    this.name = 'FileProblem';
    this.code = code;
  }
}

const problemOf = (code: FileProblem['code']) => (message: string) => new FileProblem(code, message);

export const invalidFile = problemOf('FILE_INVALID');
export const truncatedFile = problemOf('FILE_TRUNCATED');
export const unknownFile = problemOf('FILE_UNKNOWN');
export const wrongEncoding = problemOf('ENCODING_INVALID');
