import { withoutCapitals } from '../../../lib/text/characters.ts';
import { HeldTable } from '../held-table.ts';
import {
  type BadRecord,
  FileProblem,
  type ForeignKey,
  invalidFile,
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
  /** The server computes the column. Some dumps omit such columns from their rows. */
  isGenerated: boolean;
}

type Entry = SourceRecord | BadRecord;

/** A table of the dump. Its rows may be spread over many statements. */
export interface Table {
  /** Name with schema, and with the database if it is not that of the first table. */
  readonly name: string;
  readonly base: string;
  readonly schema: string | undefined;
  /** Name of the PostgreSQL database, if the dump names it by `\connect`. Otherwise empty. */
  readonly database: string;
  created?: readonly Column[];
  readonly references: ForeignKey[];
  /** Number of values of the first row, if nothing names the columns. */
  cells?: number | undefined;
  /** First records of the table. Undefined until its rows begin. */
  held?: HeldTable;
  /** First word of the first statement with rows of the table, even if these are skipped. */
  filledBy?: string;
  /** Whether a row was found. A COPY does not prove it, because pg_dump writes COPY for empty tables, too. */
  hasRows: boolean;
}

/** Maximum number of tables, to limit memory. A database with more tables is not one of users. */
const TABLES_MAX = 20_000;
/** Maximum number of columns of all tables together, to limit memory. */
const COLUMNS_MAX = 500_000;

/** Schema of table names without a schema, by dialect, unless the dump sets another one. */
const DEFAULT_SCHEMAS = [
  ['public', 'postgres'],
  ['dbo', 'mssql'],
] as const;

/** The tables of a dump, and the rows that were read but not yet passed on. */
export class Tables {
  /** PostgreSQL database of the current statement, set by `\connect`. */
  database = '';
  /** Database of the first table. Names of tables of other databases begin with their database. */
  #firstDatabase: string | undefined;
  readonly #session: Session;
  readonly #byName = new Map<string, Table>();
  readonly #wanted: (table: TableHead) => boolean;
  /** Counts the bytes of the rows that are held for all tables. */
  readonly #all = { heldBytes: 0 };
  /** The last table, and its rows that are not passed on yet. */
  #last: Table | undefined;
  #rows: Entry[] = [];
  #sizeBytes = 0;
  #batches: RecordBatch[] = [];
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
      references: [],
      hasRows: false,
    };
    this.#byName.set(name, table);
    return table;
  }

  /** Finds a table by its name, which may leave out the schema or have the default one. */
  find(parts: readonly string[]): { name: string; known: Table | undefined } {
    const { dialect, schema } = this.#session;
    const name = parts.length === 1 && schema !== undefined ? `${schema}.${parts[0]}` : parts.join('.');
    const prefix = this.database === (this.#firstDatabase ?? this.database) ? '' : `${this.database}.`;
    // In PostgreSQL, `users` and `public.users` are the same table; in SQL Server, `users` and `dbo.users`.
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

  /** Whether a statement that removes rows, tables or databases may remove rows that came earlier in the dump. */
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
    const names = withoutCapitals(columns.map(({ name }) => name));
    table.created = columns.map((column, index) => ({ ...column, name: names[index] ?? column.name }));
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
    this.begin(table, columns);
    table.hasRows = true;
    this.#rows.push(entry);
    this.#sizeBytes += sizeBytes;
  }

  /** Notes that rows of a table begin. Even if no row follows, the caller is asked about the table. */
  begin(table: Table, columns: readonly string[]): void {
    if (this.#last === table) return;
    this.#finish();
    table.held ??= this.#hold(table, columns);
    this.#last = table;
  }

  #hold(table: Table, named: readonly string[]): HeldTable {
    const describe = (first: readonly SourceRecord[]) => {
      const { cells, created = [], references, hasRows } = table;
      this.#countColumns(named.length);
      // Columns of CREATE TABLE are added, because later statements may have columns that the first one lacks. Few
      // dumps have rows with generated columns.
      const written = created.flatMap(({ name, isGenerated }) => (isGenerated ? [] : name));
      return {
        name: table.name,
        columns: new Set(cells === undefined ? [...named, ...written] : []),
        ...(cells === undefined ? {} : { cells }),
        // Clones, because substrings of the dump would keep all text around them in memory.
        first: first.map((record) => structuredClone(record)),
        references,
        ...(hasRows ? {} : { isEmpty: true }),
      };
    };
    return new HeldTable('sql', describe, this.#wanted, this.#all);
  }

  #passOn(): void {
    this.#batches.push(...(this.#last?.held?.add(this.#rows, this.#sizeBytes) ?? []));
    this.#rows = [];
    this.#sizeBytes = 0;
  }

  /** Closes the open table. If the caller was not yet asked whether it is needed, asks now. */
  #finish(): void {
    this.#passOn();
    this.#batches.push(...(this.#last?.held?.finish() ?? []));
    this.#last = undefined;
  }

  /** Decides now whether the import needs a table with a row that is not UTF-8. If so, throws the problem. */
  refuseIfWanted(table: Table, columns: readonly string[], problem: unknown): void {
    if (!(problem instanceof FileProblem) || problem.code !== 'ENCODING_INVALID') throw problem;
    this.begin(table, columns);
    this.#finish();
    if (isRead(table)) throw problem;
  }

  /** Asks the caller also about tables that the dump creates without any rows. */
  askForEmpty(): void {
    this.#finish();
    for (const table of this.#byName.values()) {
      if (table.held === undefined && table.created !== undefined)
        this.#hold(
          table,
          table.created.map(({ name }) => name),
        ).finish();
    }
  }

  takeBatches(): RecordBatch[] {
    this.#passOn();
    const batches = this.#batches;
    this.#batches = [];
    return batches;
  }
}

/** Returns the column names of a statement, in lower case if those of CREATE TABLE were changed to lower case. */
export const namesIn = ({ created }: Table, names: readonly string[]): readonly string[] =>
  created?.some(({ name }) => names.includes(name)) ? names : withoutCapitals(names);

const tooMany = (what: string) =>
  invalidFile(
    `The dump has more than ${what}. Dump the tables of the users alone: pg_dump -t TABLE, mysqldump DATABASE TABLE.`,
  );

export const isRead = ({ held }: Table): boolean => held?.isUnwanted !== true;
