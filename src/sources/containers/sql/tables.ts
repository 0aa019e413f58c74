import { MAX_HEADS_BYTES, MAX_HELD_BYTES, MAX_HELD_RECORDS } from '../held-records.ts';
import {
  BadRecord,
  changedRows,
  FileProblem,
  type RecordBatch,
  type SourceRecord,
  type TableHead,
} from '../table.ts';
import type { Column } from './columns.ts';

/** A table of the SQL dump. Its rows may be spread over many statements. */
export interface Table {
  name: string;
  created: readonly Column[] | undefined;
  /** Number of values of the first row, if nothing names the columns of the SQL table. */
  cells: number | undefined;
  /** Undefined until the caller was asked whether the import needs the SQL table. */
  head: TableHead | undefined;
  isWanted: boolean;
  rows: number;
  /** First word and PostgreSQL database of the first statement with rows of the table, even if skipped. */
  met: { verb: string; database: string | undefined } | undefined;
  /** First statement of the dump that changes or removes earlier rows of the SQL table. */
  changedBy: string | undefined;
}

type Entry = SourceRecord | BadRecord;

/** Rows of the SQL dump that are held until it is known whether the import needs their table. */
interface Waiting {
  table: Table;
  columns: readonly string[];
  entries: Entry[];
  first: SourceRecord[];
  sizeBytes: number;
}

export interface Tables {
  readonly byName: Map<string, Table>;
  readonly wanted: (table: TableHead) => boolean;
  waiting: Waiting | undefined;
  /** Last of `batches`, while rows of the same SQL table follow. */
  open: { table: Table; records: Entry[] } | undefined;
  batches: RecordBatch[];
  headBytes: number;
  columns: number;
  /** SQL tables that have rows, by the last part of their name in lower case. */
  readonly met: Map<string, Table[]>;
  /** SQL tables that had rows since the last COMMIT. */
  readonly uncommitted: Set<Table>;
  lastMet: Table | undefined;
}

/** Limits memory. An SQL database with more tables is not one of users. */
const TABLES_MAX = 20_000;
/** Limits memory. The columns of all tables of an SQL dump are counted together. */
const COLUMNS_MAX = 500_000;

export const newTables = (wanted: (table: TableHead) => boolean): Tables => ({
  byName: new Map(),
  wanted,
  waiting: undefined,
  open: undefined,
  batches: [],
  headBytes: 0,
  columns: 0,
  met: new Map(),
  uncommitted: new Set(),
  lastMet: undefined,
});

export function tableNamed(tables: Tables, name: string): Table {
  const known = tables.byName.get(name);
  if (known !== undefined) return known;
  if (tables.byName.size === TABLES_MAX) {
    throw new FileProblem(
      'FILE_INVALID',
      `The dump has more than ${TABLES_MAX} tables. Dump those of the users alone: pg_dump -t TABLE, mysqldump DATABASE TABLE.`,
    );
  }
  const table: Table = {
    name,
    created: undefined,
    cells: undefined,
    head: undefined,
    isWanted: true,
    rows: 0,
    met: undefined,
    changedBy: undefined,
  };
  tables.byName.set(name, table);
  return table;
}

export function setCreated(tables: Tables, table: Table, columns: readonly Column[]): void {
  countColumns(tables, columns.length - (table.created?.length ?? 0));
  table.created = columns;
}

function countColumns(tables: Tables, count: number): void {
  tables.columns += count;
  if (tables.columns > COLUMNS_MAX)
    throw new FileProblem(
      'FILE_INVALID',
      `The tables of the dump have more than ${COLUMNS_MAX} columns. Dump those of the users alone: pg_dump -t TABLE, mysqldump DATABASE TABLE.`,
    );
}

export const isRead = (table: Table): boolean => table.head === undefined || table.isWanted;

export function addRow(
  tables: Tables,
  table: Table,
  columns: readonly string[],
  entry: SourceRecord | BadRecord,
  sizeBytes: number,
): void {
  if (table.head !== undefined) {
    put(tables, table, entry);
    return;
  }
  const waiting = wait(tables, table, columns);
  waiting.entries.push(entry);
  if (!(entry instanceof BadRecord)) waiting.first.push(entry);
  waiting.sizeBytes += sizeBytes;
  if (waiting.entries.length >= MAX_HELD_RECORDS || waiting.sizeBytes >= MAX_HELD_BYTES) ask(tables);
}

/** Records that rows of an SQL table begin. Even if no row follows, the table is then described. */
export function beginTable(tables: Tables, table: Table, columns: readonly string[]): void {
  if (table.head === undefined) wait(tables, table, columns);
}

function wait(tables: Tables, table: Table, columns: readonly string[]): Waiting {
  if (tables.waiting?.table !== table) {
    ask(tables);
    tables.waiting = { table, columns, entries: [], first: [], sizeBytes: 0 };
  }
  return tables.waiting;
}

/** Asks the caller whether the import needs the SQL table whose rows are held. */
function ask(tables: Tables): void {
  const { waiting } = tables;
  if (waiting === undefined) return;
  tables.waiting = undefined;
  const { table, columns, entries, sizeBytes } = waiting;
  tables.headBytes += sizeBytes;
  const first = tables.headBytes <= MAX_HEADS_BYTES ? waiting.first : [];
  decide(tables, table, columns, first);
  if (table.isWanted) for (const entry of entries) put(tables, table, entry);
}

function decide(
  tables: Tables,
  table: Table,
  columns: readonly string[],
  first: readonly SourceRecord[],
): void {
  const { cells } = table;
  countColumns(tables, columns.length);
  table.head = {
    container: 'sql',
    name: table.name,
    columns: new Set(cells === undefined ? columns : []),
    ...(cells === undefined ? {} : { cells }),
    // Clones, because substrings of the SQL dump would keep all text around them in memory.
    first: first.map((record) => structuredClone(record)),
    root: {},
  };
  if (table.changedBy !== undefined) table.head.changedBy = table.changedBy;
  table.isWanted = tables.wanted(table.head);
  if (table.isWanted && table.changedBy !== undefined) throw changedRows(table.head);
}

/** Lets a later statement that changes the rows of the SQL table be noticed. */
export function noteRows(tables: Tables, table: Table, verb: string, database: string | undefined): void {
  if (tables.lastMet === table && table.met?.database === database) return;
  tables.lastMet = table;
  tables.uncommitted.add(table);
  if (table.met !== undefined) return;
  table.met = { verb, database };
  const last = lastPartOf(table.name);
  const same = tables.met.get(last);
  if (same === undefined) tables.met.set(last, [table]);
  else same.push(table);
}

/** Records the start or end of an SQL transaction. A later ROLLBACK does not undo the rows read so far. */
export function commit(tables: Tables): void {
  tables.uncommitted.clear();
  tables.lastMet = undefined;
}

export const lastPartOf = (name: string): string => name.slice(name.lastIndexOf('.') + 1).toLowerCase();

/**
 * Records that a statement of the SQL dump, which is not executed, changes or removes earlier rows.
 * @throws FileProblem FILE_INVALID if the rows have been read
 */
export function noteChange(table: Table, statement: string): void {
  if (table.changedBy !== undefined) return;
  table.changedBy = statement;
  if (table.head === undefined) return;
  table.head.changedBy = statement;
  if (table.isWanted) throw changedRows(table.head);
}

/** Throws the problem of a row that is not UTF-8 if the import needs its SQL table, which is decided now. */
export function refuseIfWanted(
  tables: Tables,
  table: Table,
  columns: readonly string[],
  problem: unknown,
): void {
  if (!(problem instanceof FileProblem) || problem.code !== 'ENCODING_INVALID') throw problem;
  beginTable(tables, table, columns);
  ask(tables);
  if (table.isWanted) throw problem;
}

/** Asks the caller also about tables that the SQL dump creates without any rows. */
export function askForEmpty(tables: Tables): void {
  ask(tables);
  for (const table of tables.byName.values()) {
    if (table.head !== undefined || table.created === undefined) continue;
    const names = table.created.map((column) => column.name);
    decide(tables, table, names, []);
  }
}

function put(tables: Tables, table: Table, entry: Entry): void {
  table.rows++;
  if (tables.open?.table !== table && table.head !== undefined) {
    const records: Entry[] = [];
    tables.open = { table, records };
    tables.batches.push({ table: table.head, firstRow: table.rows, records });
  }
  tables.open?.records.push(entry);
}

export function takeBatches(tables: Tables): RecordBatch[] {
  const { batches } = tables;
  tables.batches = [];
  tables.open = undefined;
  return batches;
}
