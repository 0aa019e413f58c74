import type { Completeness } from './completeness.ts';
import type { Dialect, Family } from './dialect.ts';
import type { RowShape } from './row-shape.ts';
import { dialectOf, foreignCharset, lacksCharset, type Session } from './session.ts';
import { type Table, type Tables, tableNamed } from './tables.ts';
import type { Window } from './window.ts';

/** State of the reader of a dump. */
export interface Reader {
  readonly session: Session;
  /** Dialect of the current statement, derived from the session. */
  dialect: Dialect;
  readonly tables: Tables;
  readonly completeness: Completeness;
  /** Whether the operator named the encoding of the dump. */
  readonly isEncodingGiven: boolean;
  /** Schema of names without one: the database of MySQL's USE, or the schema of PostgreSQL's search_path. */
  schema: string | undefined;
  /** Database of PostgreSQL, set by `\\connect`. */
  database: string | undefined;
  /** Text that ends statements. MySQL's DELIMITER changes it. */
  delimiter: string;
  /**
   * Whether an INSERT followed another one without a semicolon. If so, the last statement need not end with a semicolon
   * either.
   */
  hasNoSemicolons: boolean;
  /**
   * Whether the file has settings, which dumps write before their rows. If not, its lines may have been filtered out of
   * a dump.
   */
  hasHead: boolean;
  /** Names of the PostgreSQL roles read so far. */
  readonly roles: Set<string>;
  /** Previous INSERT up to VALUES. Most statements begin like the one before. */
  lastInsert: Insert | undefined;
}

/** The start of an INSERT, and the table it refers to. */
export interface Insert {
  /** Text of the statement up to VALUES. */
  head: string;
  table: Table;
  shapes: readonly RowShape[];
  /** Whether the statement replaces earlier rows that have the same key, as REPLACE does. */
  replaces: boolean;
}

/**
 * A state of the reader. It reads on from the position of the window, and returns the next mode, or undefined if it
 * needs a larger window. A row, or the head of a statement, is then read again from its start.
 */
export type Mode = (window: Window) => Mode | undefined;

/**
 * Reads one kind of statement.
 * @param end index after the first word
 * @param then mode that continues after the statement
 */
export type StatementReader = (reader: Reader, window: Window, end: number, then: Mode) => Mode | undefined;

/** Updates the dialect and charset after a change of the session. */
export function sessionChanged(reader: Reader, window: Window): void {
  const dialect = dialectOf(reader.session);
  if (dialect !== reader.dialect) {
    reader.dialect = dialect;
    reader.lastInsert = undefined;
    if (dialect.hasGoLines) reader.hasNoSemicolons = true;
  }
  noteCharset(reader, window);
}

/** Passes the encoding of texts to the window. */
export function noteCharset(reader: Reader, window: Window): void {
  window.foreignCharset = reader.isEncodingGiven ? undefined : foreignCharset(reader.session);
  window.mayEmbedBackslashes = !reader.isEncodingGiven && lacksCharset(reader.session);
}

/** Default schemas: those of tables whose names have no schema, unless the dump sets another one. */
const DEFAULT_SCHEMAS: readonly (readonly [schema: string, families: readonly Family[]])[] = [
  ['public', ['postgres', 'standard']],
  ['dbo', ['mssql', 'standard']],
];

/** Returns the name of a table with the name of its schema. */
const qualifiedName = ({ schema }: Reader, parts: readonly string[]): string =>
  parts.length === 1 && schema !== undefined ? `${schema}.${parts[0]}` : parts.join('.');

/** Returns the table of this name, if a statement has named it. `users` and `public.users` are the same table. */
export function knownTable(reader: Reader, parts: readonly string[]): Table | undefined {
  const { byName } = reader.tables;
  const name = qualifiedName(reader, parts);
  const known = byName.get(name);
  if (known !== undefined || parts.length > 2) return known;
  for (const [schema, families] of DEFAULT_SCHEMAS) {
    if (!families.includes(reader.dialect.name)) continue;
    const twin = name.startsWith(`${schema}.`) ? name.slice(schema.length + 1) : `${schema}.${name}`;
    const found = name.includes('.') === twin.includes('.') ? undefined : byName.get(twin);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Returns the table with this name. Creates it if the dump has not named it before. */
export const tableOf = (reader: Reader, parts: readonly string[]): Table =>
  knownTable(reader, parts) ?? tableNamed(reader.tables, qualifiedName(reader, parts));
