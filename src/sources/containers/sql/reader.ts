import type { Completeness } from './completeness.ts';
import type { Dialect, Family } from './dialect.ts';
import type { RowShape } from './row-shape.ts';
import { dialectOf, foreignCharset, lacksCharset, type Session } from './session.ts';
import { type Table, type Tables, tableNamed } from './tables.ts';
import type { Window } from './window.ts';

/** State of the reader of an SQL dump. */
export interface Reader {
  readonly session: Session;
  /** SQL dialect of the current statement, derived from the session. */
  dialect: Dialect;
  readonly tables: Tables;
  readonly completeness: Completeness;
  /** Whether the operator named the encoding of the SQL dump (`--encoding`). */
  readonly isEncodingGiven: boolean;
  /**
   * Schema of table names without a schema: the database of MySQL's USE, or the schema of PostgreSQL's
   * search_path.
   */
  schema: string | undefined;
  /** PostgreSQL database of the current statement, set by `\\connect` in the dump. */
  database: string | undefined;
  /** Text that ends SQL statements. MySQL's DELIMITER changes it. */
  delimiter: string;
  /**
   * Whether an INSERT of the dump followed another one without a semicolon. If so, the last statement of the
   * file need not end with a semicolon either.
   */
  hasNoSemicolons: boolean;
  /**
   * Whether the SQL file has settings (SET), which dumps write before their rows. If not, its lines may have
   * been filtered out of a dump.
   */
  hasHead: boolean;
  /** Names of the PostgreSQL roles read so far. */
  readonly roles: Set<string>;
  /**
   * Previous INSERT of the dump, up to VALUES. Most INSERT statements begin like the one before, and such a
   * beginning is not parsed again.
   */
  lastInsert: Insert | undefined;
}

/** The beginning of an INSERT, and the table it refers to. */
export interface Insert {
  /** Text of the INSERT up to VALUES. */
  head: string;
  table: Table;
  shapes: readonly RowShape[];
  /** Whether the INSERT replaces earlier rows that have the same key, as REPLACE does. */
  replaces: boolean;
}

/**
 * A state of the reader of SQL dumps. It reads on from the current position, and returns the next state, or
 * undefined if more of the dump must be in memory. A row, or the head of a statement, is then read again from
 * its start.
 */
export type Mode = (window: Window) => Mode | undefined;

/**
 * Reads one kind of SQL statement.
 * @param end index after the first word
 * @param then state that continues after the statement
 */
export type StatementReader = (reader: Reader, window: Window, end: number, then: Mode) => Mode | undefined;

/** Updates the dialect and charset of the reader after an SQL statement has changed the session. */
export function sessionChanged(reader: Reader, window: Window): void {
  const dialect = dialectOf(reader.session);
  if (dialect !== reader.dialect) {
    reader.dialect = dialect;
    reader.lastInsert = undefined;
    if (dialect.hasGoLines) reader.hasNoSemicolons = true;
  }
  noteCharset(reader, window);
}

/**
 * Records which encoding the texts of the SQL dump have, so that texts in other encodings than UTF-8 are
 * refused.
 */
export function noteCharset(reader: Reader, window: Window): void {
  window.foreignCharset = reader.isEncodingGiven ? undefined : foreignCharset(reader.session);
  window.mayEmbedBackslashes = !reader.isEncodingGiven && lacksCharset(reader.session);
}

/**
 * Default schemas of SQL systems: those of tables whose names have no schema, unless the dump sets another
 * schema.
 */
const DEFAULT_SCHEMAS: readonly (readonly [schema: string, families: readonly Family[]])[] = [
  ['public', ['postgres', 'standard']],
  ['dbo', ['mssql', 'standard']],
];

/** Returns the name of an SQL table with the name of its schema. */
const qualifiedName = ({ schema }: Reader, parts: readonly string[]): string =>
  parts.length === 1 && schema !== undefined ? `${schema}.${parts[0]}` : parts.join('.');

/**
 * Returns the SQL table of this name, if a statement of the dump has named it. `users` and `public.users` are
 * the same table.
 */
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

/** Returns the SQL table with this name. Creates its entry if the dump has not named it before. */
export const tableOf = (reader: Reader, parts: readonly string[]): Table =>
  knownTable(reader, parts) ?? tableNamed(reader.tables, qualifiedName(reader, parts));
