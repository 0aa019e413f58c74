import { MAX_HEADS_BYTES, MAX_HELD_BYTES, MAX_HELD_RECORDS } from '../held-table.ts';
import {
  type BadRecord,
  FileProblem,
  isBadRecord,
  type RecordBatch,
  type SourceRecord,
  type TableHead,
} from '../table.ts';
import type { ColumnKind } from './bytes.ts';
import type { Values } from './values.ts';

export interface Column {
  name: string;
  kind: ColumnKind;
  /** Computed. Some dumps omit such columns from their rows. */
  isGenerated: boolean;
}

/** Names of a table, as far as the dump tells them. */
export interface TableNames {
  /** Name with schema, and with the database if it is not that of the first table. */
  readonly name: string;
  readonly base: string;
  readonly schema: string | undefined;
  /** PostgreSQL database, or an empty text. */
  readonly database: string;
}

/** A table of the dump. Its rows may be spread over many statements. */
export interface Table extends TableNames {
  created: readonly Column[] | undefined;
  /** Number of values of the first row, if nothing names the columns. */
  cells: number | undefined;
  /** Undefined until the caller was asked whether the import needs the table. */
  head: TableHead | undefined;
  isWanted: boolean;
  rows: number;
  /** First word of the first statement with rows of the table, even if these are skipped. */
  filledBy: string | undefined;
}

type Entry = SourceRecord | BadRecord;

/** Limits memory. A database with more tables is not one of users. */
const TABLES_MAX = 20_000;
/** Limits memory. The columns of all tables are counted together. */
const COLUMNS_MAX = 500_000;

/** The tables of a dump, and the rows that are read and not yet taken. */
export class Tables {
  readonly #byName = new Map<string, Table>();
  readonly #wanted: (table: TableHead) => boolean;
  /** Rows that are held until it is known whether the import needs their table. */
  #waiting: { table: Table; columns: readonly string[]; entries: Entry[]; sizeBytes: number } | undefined;
  #batches: RecordBatch[] = [];
  /** Last of `#batches`, while rows of the same table follow. */
  #open: { table: Table; records: Entry[] } | undefined;
  #headBytes = 0;
  #columns = 0;

  constructor(wanted: (table: TableHead) => boolean) {
    this.#wanted = wanted;
  }

  find(name: string): Table | undefined {
    return this.#byName.get(name);
  }

  add(names: TableNames): Table {
    if (this.#byName.size === TABLES_MAX) throw tooMany(`${TABLES_MAX} tables`);
    const table: Table = {
      ...names,
      created: undefined,
      cells: undefined,
      head: undefined,
      isWanted: true,
      rows: 0,
      filledBy: undefined,
    };
    this.#byName.set(names.name, table);
    return table;
  }

  /** Returns the tables of which the dump has had rows. */
  get filled(): Table[] {
    return [...this.#byName.values()].filter(({ filledBy }) => filledBy !== undefined);
  }

  create(table: Table, columns: readonly Column[]): void {
    this.#countColumns(columns.length - (table.created?.length ?? 0));
    table.created = columns;
  }

  #countColumns(count: number): void {
    this.#columns += count;
    if (this.#columns > COLUMNS_MAX) throw tooMany(`${COLUMNS_MAX} columns`);
  }

  addRow(table: Table, columns: readonly string[], entry: Entry, sizeBytes: number): void {
    if (table.head !== undefined) {
      this.#put(table, entry);
      return;
    }
    const waiting = this.#hold(table, columns);
    waiting.entries.push(entry);
    waiting.sizeBytes += sizeBytes;
    if (waiting.entries.length >= MAX_HELD_RECORDS || waiting.sizeBytes >= MAX_HELD_BYTES) this.#ask();
  }

  /** Notes that rows of a table begin. Even if no row follows, the caller is asked about the table. */
  begin(table: Table, columns: readonly string[]): void {
    if (table.head === undefined) this.#hold(table, columns);
  }

  #hold(table: Table, columns: readonly string[]) {
    if (this.#waiting?.table !== table) {
      this.#ask();
      this.#waiting = { table, columns, entries: [], sizeBytes: 0 };
    }
    return this.#waiting;
  }

  /** Asks the caller whether the import needs the table whose rows are held. */
  #ask(): void {
    const waiting = this.#waiting;
    if (waiting === undefined) return;
    this.#waiting = undefined;
    const { table, columns, entries, sizeBytes } = waiting;
    this.#headBytes += sizeBytes;
    const isShown = this.#headBytes <= MAX_HEADS_BYTES;
    this.#decide(
      table,
      columns,
      isShown ? entries.filter((entry): entry is SourceRecord => !isBadRecord(entry)) : [],
    );
    if (table.isWanted) for (const entry of entries) this.#put(table, entry);
  }

  #decide(table: Table, columns: readonly string[], first: readonly SourceRecord[]): void {
    const { cells } = table;
    this.#countColumns(columns.length);
    table.head = {
      container: 'sql',
      name: table.name,
      // The first statement may leave out columns that later ones have.
      columns: new Set(cells === undefined ? [...columns, ...declared(table)] : []),
      ...(cells === undefined ? {} : { cells }),
      // Clones, because substrings of the dump would keep all text around them in memory.
      first: first.map((record) => structuredClone(record)),
      root: {},
    };
    table.isWanted = this.#wanted(table.head);
  }

  /** Throws the problem of a row that is not UTF-8 if the import needs its table, which is decided now. */
  refuseIfWanted(table: Table, columns: readonly string[], problem: unknown): void {
    if (!(problem instanceof FileProblem) || problem.code !== 'ENCODING_INVALID') throw problem;
    this.begin(table, columns);
    this.#ask();
    if (table.isWanted) throw problem;
  }

  /** Asks the caller also about tables that the dump creates without any rows. */
  askForEmpty(): void {
    this.#ask();
    for (const table of this.#byName.values()) {
      if (table.head !== undefined || table.created === undefined) continue;
      this.#decide(
        table,
        table.created.map(({ name }) => name),
        [],
      );
      if (table.head !== undefined) Object.assign(table.head, { isEmpty: true });
    }
  }

  #put(table: Table, entry: Entry): void {
    table.rows++;
    if (this.#open?.table !== table && table.head !== undefined) {
      this.#open = { table, records: [] };
      this.#batches.push({ table: table.head, firstRow: table.rows, records: this.#open.records });
    }
    this.#open?.records.push(entry);
  }

  takeBatches(): RecordBatch[] {
    const batches = this.#batches;
    this.#batches = [];
    this.#open = undefined;
    return batches;
  }
}

const tooMany = (what: string) =>
  new FileProblem(
    'FILE_INVALID',
    `The dump has more than ${what}. Dump the tables of the users alone: pg_dump -t TABLE, mysqldump DATABASE TABLE.`,
  );

export const isRead = (table: Table): boolean => table.head === undefined || table.isWanted;

/** Names of the columns of CREATE TABLE, without those that are computed. */
const declared = ({ created = [] }: Table) =>
  created.flatMap(({ name, isGenerated }) => (isGenerated ? [] : name));

export function recordOf(columns: readonly string[], values: Values): SourceRecord {
  const record: Record<string, string | null> = {};
  for (let index = 0; index < columns.length; index++) {
    const name = columns[index] ?? '';
    const value = values[index];
    if (value === undefined) continue;
    // Assigning a column named `__proto__` would change the prototype of the record.
    if (name === '__proto__') Object.defineProperty(record, name, { value, enumerable: true });
    else record[name] = value;
  }
  return record;
}
