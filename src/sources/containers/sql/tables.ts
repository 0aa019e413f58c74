import {
  BadRecord,
  changedRows,
  FileProblem,
  type RecordBatch,
  type SourceRecord,
  type TableHead,
} from '../table.ts';
import type { Column } from './columns.ts';

/** A table of the dump. Its rows may stand in many statements, between those of others. */
export interface Table {
  name: string;
  /** What CREATE TABLE says. */
  created: readonly Column[] | undefined;
  /** How many values the first row has, where columns have no names: neither INSERT nor CREATE TABLE tells them. */
  cells: number | undefined;
  /** Undefined until it is known whether it is wanted. */
  head: TableHead | undefined;
  isWanted: boolean;
  rows: number;
  /** Whether rows of it have been met, read or not; with which word, and in which database of PostgreSQL. */
  met: { verb: string; database: string | undefined } | undefined;
  /** The first statement that changes or removes rows that were met. */
  changedBy: string | undefined;
}

type Entry = SourceRecord | BadRecord;

/** Rows that wait for the question whether their table is wanted. */
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
  /** The last of `batches`, and whose it is. */
  open: { table: Table; records: Entry[] } | undefined;
  batches: RecordBatch[];
  /** Of the first rows of all tables, which are kept; and how many columns the tables have together. */
  headBytes: number;
  columns: number;
  /** Tables whose rows were met, by the last part of their names, lower case. */
  readonly met: Map<string, Table[]>;
  /** Tables whose rows were met since the last COMMIT. */
  readonly uncommitted: Set<Table>;
  /** The last of them. */
  lastMet: Table | undefined;
}

/** A bound on memory: a dump of a database with more tables than this is none of users. */
const TABLES_MAX = 20_000;
const FIRST_MAX = 20;
/** Rows wait for the question as long as they are not longer than this together. */
const WAITING_MAX_BYTES = 1024 * 1024;
/** First rows are kept as long as they are not longer than this, those of all tables together. */
const HEADS_MAX_BYTES = 16 * 1024 * 1024;
/** Of all tables, as CREATE TABLE and INSERT name them: a bound on memory, too. */
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
    throw new FileProblem('FILE_INVALID', `The dump has more than ${TABLES_MAX} tables.`);
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

/** What CREATE TABLE says of it. */
export function setCreated(tables: Tables, table: Table, columns: readonly Column[]): void {
  countColumns(tables, columns.length - (table.created?.length ?? 0));
  table.created = columns;
}

function countColumns(tables: Tables, count: number): void {
  tables.columns += count;
  if (tables.columns > COLUMNS_MAX)
    throw new FileProblem('FILE_INVALID', `The tables of the dump have more than ${COLUMNS_MAX} columns.`);
}

/** Must rows of this table be read? */
export const isRead = (table: Table): boolean => table.head === undefined || table.isWanted;

/** @param sizeBytes of the row in the file */
export function addRow(
  tables: Tables,
  table: Table,
  columns: readonly string[],
  entry: SourceRecord,
  sizeBytes: number,
): void {
  if (table.head !== undefined) {
    put(tables, table, entry);
    return;
  }
  const waiting = wait(tables, table, columns);
  waiting.entries.push(entry);
  waiting.first.push(entry);
  askSoon(tables, waiting, sizeBytes);
}

export function addBadRow(
  tables: Tables,
  table: Table,
  columns: readonly string[],
  problem: BadRecord['problem'],
  message: string,
): void {
  const entry = new BadRecord(problem, message);
  if (table.head !== undefined) {
    put(tables, table, entry);
    return;
  }
  const waiting = wait(tables, table, columns);
  waiting.entries.push(entry);
  askSoon(tables, waiting, 0);
}

/** A table whose rows begin, even if it then has none. */
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

function askSoon(tables: Tables, waiting: Waiting, sizeBytes: number): void {
  waiting.sizeBytes += sizeBytes;
  if (waiting.entries.length >= FIRST_MAX || waiting.sizeBytes >= WAITING_MAX_BYTES) ask(tables);
}

/** Asks whether the table whose rows wait is wanted. */
export function ask(tables: Tables): void {
  const { waiting } = tables;
  if (waiting === undefined) return;
  tables.waiting = undefined;
  const { table, columns, entries, sizeBytes } = waiting;
  tables.headBytes += sizeBytes;
  const first = tables.headBytes <= HEADS_MAX_BYTES ? waiting.first : [];
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
    // Copies: parts of the window's text would keep all of it in memory as long as the head is.
    first: first.map((record) => structuredClone(record)),
    root: {},
  };
  if (table.changedBy !== undefined) table.head.changedBy = table.changedBy;
  table.isWanted = tables.wanted(table.head);
  if (table.isWanted && table.changedBy !== undefined) throw changedRows(table.head);
}

/** Notes that rows of a table begin. */
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

/** Notes that a transaction ends or begins. */
export function commit(tables: Tables): void {
  tables.uncommitted.clear();
  tables.lastMet = undefined;
}

export const lastPartOf = (name: string): string => name.slice(name.lastIndexOf('.') + 1).toLowerCase();

/**
 * Notes that a statement changes or removes rows of a table that stand before it. It is not carried out.
 * @param statement `DELETE at byte 912 changes or removes rows that stand before it`
 * @throws FileProblem FILE_INVALID if the rows have been read
 */
export function noteChange(table: Table, statement: string): void {
  if (table.changedBy !== undefined) return;
  table.changedBy = statement;
  if (table.head === undefined) return;
  table.head.changedBy = statement;
  if (table.isWanted) throw changedRows(table.head);
}

/**
 * A row cannot be read, as its text is not UTF-8. That matters only if its table is wanted, which is asked now.
 * @throws the problem, if it is
 */
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

/** Tells of the tables that were created and have no rows. */
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

/** What has been read since the last time. */
export function takeBatches(tables: Tables): RecordBatch[] {
  const { batches } = tables;
  tables.batches = [];
  tables.open = undefined;
  return batches;
}
