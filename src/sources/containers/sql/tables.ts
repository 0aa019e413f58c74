import { MAX_HEADS_BYTES, MAX_HELD_BYTES, MAX_HELD_RECORDS } from '../held-table.ts';
import {
  type BadRecord,
  FileProblem,
  type ForeignKey,
  isBadRecord,
  type RecordBatch,
  type SourceRecord,
  type TableHead,
} from '../table.ts';
import type { ColumnKind } from './bytes.ts';
import type { Session } from './dialects.ts';
import type { Token } from './tokens.ts';

export interface Column {
  name: string;
  kind: ColumnKind;
  /** Computed. Some dumps omit such columns from their rows. */
  isGenerated: boolean;
}

type Entry = SourceRecord | BadRecord;

/** A table of the dump. Its rows may be spread over many statements. */
export interface Table {
  /** Name with schema, and with the database if it is not that of the first table. */
  readonly name: string;
  readonly base: string;
  readonly schema: string | undefined;
  /** PostgreSQL database, or an empty text. */
  readonly database: string;
  created: readonly Column[] | undefined;
  readonly references: ForeignKey[];
  /** Number of values of the first row, if nothing names the columns. */
  cells: number | undefined;
  /** Undefined until the caller was asked whether the import needs the table. */
  head: TableHead | undefined;
  isWanted: boolean;
  rows: number;
  /** First word of the first statement with rows of the table, even if these are skipped. */
  filledBy: string | undefined;
}

/** Limits memory. A database with more tables is not one of users. */
const TABLES_MAX = 20_000;
/** Limits memory. The columns of all tables are counted together. */
const COLUMNS_MAX = 500_000;

/** Schemas of table names that have none, unless the dump sets another schema. */
const DEFAULT_SCHEMAS = [
  ['public', 'postgres'],
  ['dbo', 'mssql'],
] as const;

/** The tables of a dump, and the rows that are read and not yet taken. */
export class Tables {
  /** PostgreSQL database of the current statement, set by `\connect`. */
  database = '';
  /** Database of the first table. Names of tables of other databases begin with their database. */
  #firstDatabase: string | undefined;
  readonly #session: Session;
  readonly #byName = new Map<string, Table>();
  readonly #wanted: (table: TableHead) => boolean;
  /** Rows that are held until it is known whether the import needs their table. */
  #held: { table: Table; columns: readonly string[]; entries: Entry[]; sizeBytes: number } | undefined;
  #batches: RecordBatch[] = [];
  /** Last of `#batches`, while rows of the same table follow. */
  #open: { table: Table; records: Entry[] } | undefined;
  #headBytes = 0;
  #columns = 0;

  constructor(session: Session, wanted: (table: TableHead) => boolean) {
    this.#session = session;
    this.#wanted = wanted;
  }

  /** Returns the table with a name, and creates it if the dump has not named it before. */
  named(parts: readonly string[]): Table {
    this.#firstDatabase ??= this.database;
    const { name, known } = this.find(parts);
    if (known !== undefined) return known;
    if (this.#byName.size === TABLES_MAX) throw tooMany(`${TABLES_MAX} tables`);
    const table: Table = {
      name,
      base: parts.at(-1) ?? '',
      schema: parts.at(-2) ?? this.#session.schema,
      database: this.database,
      created: undefined,
      references: [],
      cells: undefined,
      head: undefined,
      isWanted: true,
      rows: 0,
      filledBy: undefined,
    };
    this.#byName.set(name, table);
    return table;
  }

  /** Finds a table by its name, which may leave out the schema or have the default one. */
  find(parts: readonly string[]): { name: string; known: Table | undefined } {
    const { dialect, schema } = this.#session;
    const name = parts.length === 1 && schema !== undefined ? `${schema}.${parts[0]}` : parts.join('.');
    const prefix = this.database === (this.#firstDatabase ?? this.database) ? '' : `${this.database}.`;
    // `users` and `public.users` are the same.
    const twins = DEFAULT_SCHEMAS.filter(
      ([, family]) => dialect.name === family || dialect.name === 'standard',
    )
      .map(([of]) => (name.startsWith(`${of}.`) ? name.slice(of.length + 1) : `${of}.${name}`))
      .filter((twin) => twin.includes('.') !== name.includes('.'));
    const known = [name, ...twins]
      .map((one) => this.#byName.get(prefix + one))
      .find((one) => one !== undefined);
    return { name: known?.name ?? prefix + name, known };
  }

  /** Whether a statement that removes rows, tables or databases may concern rows that the dump has had before. */
  losesRows(verb: string, tokens: readonly Token[]): boolean {
    const filled = [...this.#byName.values()].filter(({ filledBy }) => filledBy !== undefined);
    // Only the database server knows what CASCADE removes.
    const isWide =
      /^(?:ABORT|ROLLBACK)$/.test(verb) || tokens.some(({ text }) => /^(?:CASCADE|OWNED)$/.test(text));
    if (filled.length === 0 || isWide) return filled.length > 0;
    const isOfWhole = tokens.some(({ text }) => text === 'DATABASE' || text === 'SCHEMA');
    return filled.some((table) =>
      tokens.some(({ kind, name }, index) => {
        if (kind !== 'word' && kind !== 'name') return false;
        if (isOfWhole && (name === table.schema || name === table.database)) return true;
        const schema = tokens[index - 1]?.text === '.' ? tokens[index - 2]?.name : this.#session.schema;
        const isOfSchema = schema === undefined || table.schema === undefined || schema === table.schema;
        return (
          name.toLowerCase() === table.base.toLowerCase() && isOfSchema && table.database === this.database
        );
      }),
    );
  }

  create(table: Table, columns: readonly Column[]): void {
    this.#countColumns(columns.length - (table.created?.length ?? 0));
    table.created = columns;
  }

  /** Notes foreign keys: columns of a table that refer to another one. */
  refer(table: Table, columns: readonly string[], to: readonly string[]): void {
    this.#countColumns(columns.length);
    const { name } = this.find(to);
    for (const column of columns) table.references.push({ column, table: name });
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
    this.begin(table, columns);
    if (this.#held === undefined) return;
    this.#held.entries.push(entry);
    this.#held.sizeBytes += sizeBytes;
    if (this.#held.entries.length >= MAX_HELD_RECORDS || this.#held.sizeBytes >= MAX_HELD_BYTES) this.#ask();
  }

  /** Notes that rows of a table begin. Even if no row follows, the caller is asked about the table. */
  begin(table: Table, columns: readonly string[]): void {
    if (table.head !== undefined || this.#held?.table === table) return;
    this.#ask();
    this.#held = { table, columns, entries: [], sizeBytes: 0 };
  }

  /** Asks the caller whether the import needs the table whose rows are held. */
  #ask(): void {
    if (this.#held === undefined) return;
    const { table, columns, entries, sizeBytes } = this.#held;
    this.#held = undefined;
    this.#headBytes += sizeBytes;
    const records = entries.filter((entry): entry is SourceRecord => !isBadRecord(entry));
    this.#decide(table, columns, this.#headBytes <= MAX_HEADS_BYTES ? records : []);
    if (table.isWanted) for (const entry of entries) this.#put(table, entry);
  }

  #decide(table: Table, columns: readonly string[], first: readonly SourceRecord[]): TableHead {
    const { cells, created = [] } = table;
    this.#countColumns(columns.length);
    // The first statement may leave out columns that later ones have. Computed columns are in few dumps.
    const written = created.flatMap(({ name, isGenerated }) => (isGenerated ? [] : name));
    table.head = {
      container: 'sql',
      name: table.name,
      columns: new Set(cells === undefined ? [...columns, ...written] : []),
      ...(cells === undefined ? {} : { cells }),
      // Clones, because substrings of the dump would keep all text around them in memory.
      first: first.map((record) => structuredClone(record)),
      root: {},
      references: table.references,
    };
    table.isWanted = this.#wanted(table.head);
    return table.head;
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
      const names = table.created.map(({ name }) => name);
      Object.assign(this.#decide(table, names, []), { isEmpty: true });
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
