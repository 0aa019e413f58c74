import type { JsonObject } from '../../lib/json/json-object.ts';
import type { CsvDialect, CsvEscape } from './csv/csv-dialect.ts';

/** Kind of a file, detected from its bytes. */
export type ContainerName = ExportFormat | 'hash-config' | 'signer-key';

/** Kinds of files that hold users. */
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
 * One record of a table: a value for each column name. Values depend on the container:
 * - JSON: as parsed by `JSON.parse`, but a number that a float would change is an `ExactNumber`. Extended JSON is
 * resolved
 *   (`{"$oid"}` → text, `{"$date"}` → ISO text, `{"$numberLong"}` → text or number).
 * - CSV: text; null for an unquoted `NULL` or `\N`, or for the text given by `--csv-null`. An empty cell is an empty
 * text.
 * - SQL: text, for numbers as well (as written in the dump); null for NULL.
 * - LDIF: a list of texts for `dn` and for each attribute (lower case, without options).
 * - shadow, passwd, htpasswd and other files with colons: text. Column names are the field names.
 */
export type SourceRecord = JsonObject;

/** A record that could not be read. A class, because a record read from a file may have members of any name. */
export class BadRecord {
  readonly problem: RecordProblem;
  /** Public message, without values of the record. */
  readonly message: string;
  /** The values of a bad record that could be read, if they help to identify the user. */
  readonly partial?: SourceRecord;
  /** A private member, so that a record from a file can never pass for a BadRecord. */
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

/** Properties of a table that are known before its records are read. */
export interface TableHead {
  container: ContainerName;
  /**
   * Name of the table.
   * - SQL: without quotes, with the schema if the dump has one (`auth.users`).
   * - JSON: path of the array (`users`, `db.0.data.users`), or empty for an array or for lines at the root. For Django
   * fixtures it is the model (`auth.user`); for JSON of phpMyAdmin it is the table.
   * - Other containers: empty.
   */
  name: string;
  /** Names of columns. For JSON, all members of the first records. Empty for CSV without a header. */
  columns: ReadonlySet<string>;
  /** For CSV without a header: number of cells of the first record. Its records have the columns `0`, `1`, …. */
  cells?: number;
  /** The first records of the table, at most 20. */
  first: readonly SourceRecord[];
  /** For JSON: small members of the object that contains the array, without the array. */
  root: JsonObject;
  /** For JSON: whether the file has one document per line. */
  isLines?: boolean;
  /**
   * For SQL: description of the first statement that changes rows after they were inserted. If it is set, the rows
   * must not be read, because they differ from those of the original database.
   */
  changedBy?: string;
  /** For CSV: dialect of the whole file. */
  csvDialect?: CsvDialect;
}

/** Consecutive records of one table. */
export interface RecordBatch {
  table: TableHead;
  /** Row number of the first record within its table, from 1. Headers do not count. */
  firstRow: number;
  records: readonly (SourceRecord | BadRecord)[];
  /**
   * Deviations from the format and values that were dropped, each with its number of occurrences in this batch. Public;
   * shown once per file, summed up.
   */
  notes?: Readonly<Record<string, number>>;
}

export const isBadRecord = (record: SourceRecord | BadRecord): record is BadRecord => BadRecord.isOne(record);

/** Options of the operator for reading files. */
export interface ReadOptions {
  /** Kind of the files, in place of the detected kind. Files of hash parameters are detected nevertheless. */
  format?: ExportFormat;
  /** Encoding of text that is not UTF-8: a label that `TextDecoder` knows. */
  encoding?: string;
  /** Path of the array in JSON (`a.b`), if it is not one of the known paths. */
  jsonPath?: string;
  /** Whether the first line of CSV is a header. Undefined to detect it. */
  csvHeader?: boolean;
  /** System that wrote a SQL dump, if the dump does not show whether backslashes are escapes. */
  sqlDialect?: SqlDialect;
  /** Escaping of quotes and line breaks inside cells of CSV. */
  csvEscape?: CsvEscape;
  /** Quote character of CSV, or `none` if cells are not quoted and backslashes are escapes. */
  csvQuote?: string;
  /** Delimiter of CSV. */
  csvDelimiter?: string;
  /** Text that means null in unquoted cells of CSV. */
  csvNull?: string;
  /** Dialect chosen by an earlier survey of the same CSV file. If set, the file is not surveyed again. */
  csvDialect?: CsvDialect;
}

export type SqlDialect = 'postgres' | 'mysql' | 'mysql-no-backslash' | 'sqlite' | 'mssql';

/** A file that is opened several times, because the survey and the import each read it from its start. */
export interface SourceFile {
  /** Name given by the operator. Shown in messages. */
  name: string;
  /** Size for the progress display, if known. */
  sizeBytes?: number;
  open(): AsyncIterable<Buffer>;
}

/**
 * Reads one kind of file in bounded memory, whatever its size and content.
 * @param bytes can be read repeatedly from the start
 * @param wanted called once per table, as soon as its head is known. `first` holds the records read so far. A table
 * that is not wanted is skipped as fast as possible
 */
export type Container = (
  bytes: AsyncIterable<Buffer>,
  options: ReadOptions,
  wanted: (table: TableHead) => boolean,
) => AsyncGenerator<RecordBatch>;

/** A problem of the whole file rather than of one record: truncated, not UTF-8, or of an unknown kind. */
export class FileProblem extends Error {
  readonly code: 'ENCODING_INVALID' | 'FILE_TRUNCATED' | 'FILE_UNKNOWN' | 'FILE_INVALID';
  constructor(code: FileProblem['code'], message: string) {
    super(message);
    this.name = 'FileProblem';
    this.code = code;
  }
}

/** Returns the problem of a dump whose rows are changed by later statements, and so differ from those of its server. */
export const changedRows = ({ name, changedBy }: TableHead): FileProblem =>
  new FileProblem(
    'FILE_INVALID',
    `Table ${name}: ${changedBy}. Such statements are not executed here: ` +
      'load the dump into its database, and dump it again, or remove the statement if it changes no users.',
  );
