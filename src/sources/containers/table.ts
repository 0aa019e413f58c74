import type { JsonObject } from '../../imports/input/json-object.ts';
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
 * One record of a table, by the names of its columns. Values are as the container has them:
 * - JSON: as `JSON.parse` gives them, but a number that a float would change is an `ExactNumber`; Extended JSON is resolved
 *   (`{"$oid"}` → text, `{"$date"}` → ISO text, `{"$numberLong"}` → text or number).
 * - CSV: text; null for an unquoted `NULL` or `\N`, or what the operator names. An empty cell is an empty text.
 * - SQL: text, numbers too (as they were written); null for NULL.
 * - LDIF: `dn` and each attribute (lower case, without options) a list of texts.
 * - shadow, passwd, htpasswd and the other files with colons: text, by the names of the fields.
 */
export type SourceRecord = JsonObject;

/** A record that could not be read. A class, as a record of a file may have members of any name. */
export class BadRecord {
  readonly problem: RecordProblem;
  /** Public: shows nothing of the record. */
  readonly message: string;
  /** What could be read, where that may tell whose record it is. */
  readonly partial?: SourceRecord;
  /** Keeps what only looks like it from being taken for one. */
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

/** What can be told of a table before its records are read. */
export interface TableHead {
  container: ContainerName;
  /**
   * SQL: the name of the table, without quotes, with its schema where it has one (`auth.users`). JSON: the path of the array
   * (`users`, `db.0.data.users`; empty for an array or lines at the root); of Django fixtures the model (`auth.user`), of
   * phpMyAdmin's JSON the table. Else empty.
   */
  name: string;
  /** Of JSON: the members that the first records have. Of CSV without a header: none. */
  columns: ReadonlySet<string>;
  /** Cells of the first record, of CSV without a header. Its records have them as `0`, `1`, …. */
  cells?: number;
  /** The first records, as many as 20. */
  first: readonly SourceRecord[];
  /** JSON: other members of the object that the array stands in, where they are small. */
  root: JsonObject;
  /** Of JSON: one document a line. */
  isLines?: boolean;
  /** SQL: the first statement that makes the rows other than they stand in the dump, which must not be read then. */
  changedBy?: string;
  /** Of CSV: the dialect of the whole file. */
  csvDialect?: CsvDialect;
}

/** Records of one table that follow each other. */
export interface RecordBatch {
  table: TableHead;
  /** The row of the first, from 1, counted within its table. Headers do not count. */
  firstRow: number;
  records: readonly (SourceRecord | BadRecord)[];
  /** What was read otherwise than the rules of the format say, or left out, and how often in this batch. Public; said once, summed up. */
  notes?: Readonly<Record<string, number>>;
}

export const isBadRecord = (record: SourceRecord | BadRecord): record is BadRecord => BadRecord.isOne(record);

/** How the operator wants containers to be read. */
export interface ReadOptions {
  /** Kind of all files but those of hash parameters: decides in place of what their beginnings look like. */
  format?: ExportFormat;
  /** Of text that is not UTF-8: a label that `TextDecoder` knows. */
  encoding?: string;
  /** Path of the array in JSON, where it is none that is known: `a.b`. */
  jsonPath?: string;
  /** Columns of CSV without a header, or the operator's word that the first line is (`true`) or is not one (`false`). */
  csvHeader?: boolean;
  /** The system that wrote a SQL dump, where the dump does not say whether backslashes escape. */
  sqlDialect?: SqlDialect;
  /** How quotes and line breaks are escaped within cells of CSV. */
  csvEscape?: CsvEscape;
  /** The character around cells of CSV; `none` if there is none, and backslashes escape. */
  csvQuote?: string;
  /** The character between cells of CSV. */
  csvDelimiter?: string;
  /** The text of unquoted cells of CSV that are null. */
  csvNull?: string;
  /** Dialect that a survey of the same CSV file chose. The file is not surveyed again. */
  csvDialect?: CsvDialect;
}

export type SqlDialect = 'postgres' | 'mysql' | 'mysql-no-backslash' | 'sqlite' | 'mssql';

/** Bytes that can be read again from the start. */
export interface SourceFile {
  /** As the operator named it. Shown. */
  name: string;
  /** Where it is known: for progress. */
  sizeBytes?: number;
  open(): AsyncIterable<Buffer>;
}

/**
 * Reads one kind of file in bounded memory, whatever its size and whatever is in it.
 * @param bytes may be read again from the start
 * @param wanted asked once for each table, as soon as its head is known (and `first` holds what has been read by then): a table
 * that is not wanted is passed over as quickly as it can be
 */
export type Container = (
  bytes: AsyncIterable<Buffer>,
  options: ReadOptions,
  wanted: (table: TableHead) => boolean,
) => AsyncGenerator<RecordBatch>;

/** The file as a whole is wrong, not one record of it: truncated, not UTF-8, of no known kind. */
export class FileProblem extends Error {
  readonly code: 'ENCODING_INVALID' | 'FILE_TRUNCATED' | 'FILE_UNKNOWN' | 'FILE_INVALID';
  constructor(code: FileProblem['code'], message: string) {
    super(message);
    this.name = 'FileProblem';
    this.code = code;
  }
}

/** Rows of a dump are not what its server would have in the end. */
export const changedRows = ({ name, changedBy }: TableHead): FileProblem =>
  new FileProblem(
    'FILE_INVALID',
    `Table ${name}: ${changedBy}. Such statements are not carried out here: ` +
      'load the dump into its database, and dump it again, or remove the statement if it changes no users.',
  );
