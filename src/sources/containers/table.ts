import type { JsonObject } from '../../lib/json/json-object.ts';
import type { CsvDialect, CsvEscape } from './csv/csv-dialect.ts';

/** Kind of an export file, detected from its bytes. */
export type ContainerName = ExportFormat | 'hash-config' | 'signer-key';

/** Kinds of export files that hold users. */
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
 *   JSON is resolved: `{"$oid"}` → text, `{"$date"}` → ISO text, `{"$numberLong"}` → text or number.
 * - CSV: text; null for an unquoted `NULL` or `\N`, or for the text given by `--csv-null`. An empty cell is
 *   an empty text.
 * - SQL: text, for numbers as well (as written in the dump); null for NULL.
 * - LDIF: a list of texts for `dn` and for each attribute (lower case, without options).
 * - shadow, passwd, htpasswd and other files with colons: text. Column names are the field names.
 */
export type SourceRecord = JsonObject;

/**
 * A record of an export that could not be read. It is a class, because an object read from a file may have
 * members of any name.
 */
export class BadRecord {
  readonly problem: RecordProblem;
  /** Message about the bad record. It is shown to the operator, so it has no values of the record. */
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

/** Facts about a JSON file that is one object. They are complete when the file has been read to its end. */
export interface JsonFile {
  /**
   * Whether the file may hold a list for each table of a database. If not, only lists at known paths are
   * tables, because a user may have chosen the others.
   */
  isDatabase: boolean;
  /** Names of members that may be tables without rows: they are null or empty lists. */
  empty: string[];
  /** Path of a list that looks like users, but is not read; it ends with `LIST` if its name is not known. */
  hidden?: string;
}

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
  /**
   * Names of the table's columns. For JSON, all members of the first records. Empty for CSV without a header.
   */
  columns: ReadonlySet<string>;
  /**
   * For CSV without a header: number of cells of the first record. The records have the columns `0`, `1`, ….
   */
  cells?: number;
  /** The first records of the table of an export, at most 20. */
  first: readonly SourceRecord[];
  /** For JSON: small members of the object that contains the array of records, without the array. */
  root: JsonObject;
  /** For JSON that is one object: facts about the file. */
  file?: JsonFile;
  /** For JSON: whether the list is at a path that no known system has. */
  isFound?: boolean;
  /** For JSON: whether the file has several lists of records, whose names are then those of tables. */
  isOneOfSeveral?: boolean;
  /** For JSON: whether the file has one document per line. */
  isLines?: boolean;
  /**
   * For SQL: description of the first statement in the dump that changes rows after they were inserted. If it
   * is set, the rows must not be read, because they differ from those of the original database.
   */
  changedBy?: string;
  /** For CSV: dialect (delimiter, quotes, escapes) of the whole file. */
  csvDialect?: CsvDialect;
}

/** Consecutive records of one table of an export. */
export interface RecordBatch {
  table: TableHead;
  /** Row number of the batch's first record within its table, from 1. Headers do not count. */
  firstRow: number;
  records: readonly (SourceRecord | BadRecord)[];
  /**
   * Deviations from the file format and values that were dropped, each with its number of occurrences in this
   * batch. They are shown to the operator once per file, summed up, so they have no values of records.
   */
  notes?: Readonly<Record<string, number>>;
}

export const isBadRecord = (record: SourceRecord | BadRecord): record is BadRecord => BadRecord.isOne(record);

/** Options of the operator for reading export files. */
export interface ReadOptions {
  /**
   * Kind of the export files, in place of the detected kind. Files of hash parameters are detected
   * nevertheless.
   */
  format?: ExportFormat;
  /** Encoding of export files that are not UTF-8: a label that `TextDecoder` knows. */
  encoding?: string;
  /** Path of the array with users in JSON (`a.b`), if it is not one of the known paths. */
  jsonPath?: string;
  /** Whether the first line of a CSV file is a header. Undefined to detect it. */
  csvHeader?: boolean;
  /** System that wrote an SQL dump, if the dump does not show whether backslashes are escapes. */
  sqlDialect?: SqlDialect;
  /** Escaping of quotes and line breaks inside cells of CSV. */
  csvEscape?: CsvEscape;
  /** Quote character of CSV, or `none` if cells are not quoted and backslashes are escapes. */
  csvQuote?: string;
  /** Delimiter of CSV cells. Undefined to detect it. */
  csvDelimiter?: string;
  /** Text that means null in unquoted cells of CSV. */
  csvNull?: string;
  /**
   * Dialect that was chosen when the CSV file was read for the first time. If set, the dialect is not
   * searched for again.
   */
  csvDialect?: CsvDialect;
}

export type SqlDialect = 'postgres' | 'mysql' | 'mysql-no-backslash' | 'sqlite' | 'mssql';

/**
 * An export file that is opened several times, because the first survey and the import each read it from its
 * start.
 */
export interface SourceFile {
  /** File name given by the operator. Shown in messages. */
  name: string;
  /** Size of the file for the progress display, if known. */
  sizeBytes?: number;
  open(): AsyncIterable<Buffer>;
}

/**
 * Reads one kind of export file in bounded memory, whatever the size and content of the file.
 * @param bytes can be read repeatedly from the start
 * @param wanted returns whether the import needs a table. Called once per table, as soon as its head is
 * known; `first` holds the records read so far. A table that is not wanted is skipped as fast as possible
 */
export type Container = (
  bytes: AsyncIterable<Buffer>,
  options: ReadOptions,
  wanted: (table: TableHead) => boolean,
) => AsyncGenerator<RecordBatch>;

/**
 * A problem of a whole export file rather than of one record: truncated, not UTF-8, or of an unknown kind.
 */
export class FileProblem extends Error {
  readonly code: 'ENCODING_INVALID' | 'FILE_TRUNCATED' | 'FILE_UNKNOWN' | 'FILE_INVALID';
  constructor(code: FileProblem['code'], message: string) {
    super(message);
    this.name = 'FileProblem';
    this.code = code;
  }
}

/**
 * Returns the problem of an SQL dump in which later statements change rows, so that the rows read from it
 * would differ from those of its database.
 */
export const changedRows = ({ name, changedBy }: TableHead): FileProblem =>
  new FileProblem(
    'FILE_INVALID',
    `Table ${name}: ${changedBy}. Such statements are not executed here: ` +
      'load the dump into its database, and dump it again, or remove the statement if it changes no users.',
  );
