import type { Completeness } from './completeness.ts';
import type { Dialect, Family } from './dialect.ts';
import type { RowShape } from './row-shape.ts';
import { dialectOf, foreignCharset, lacksCharset, type Session } from './session.ts';
import { type Table, type Tables, tableNamed } from './tables.ts';
import type { Window } from './window.ts';

export interface Reader {
  readonly session: Session;
  /** Dialect of the current SQL statement, derived from the session. */
  dialect: Dialect;
  readonly tables: Tables;
  readonly completeness: Completeness;
  readonly isEncodingGiven: boolean;
  /** Schema of table names without one: the database of MySQL's USE, or PostgreSQL's search_path. */
  schema: string | undefined;
  /** PostgreSQL database of the current statement, set by `\\connect` in the dump. */
  database: string | undefined;
  delimiter: string;
  /** An INSERT of the dump followed another one without a semicolon. The last statement may lack one, too. */
  hasNoSemicolons: boolean;
  /** Whether settings (SET) precede the rows, as in all dumps. If not, lines may have been filtered out. */
  hasHead: boolean;
  readonly roles: Set<string>;
  lastInsert: Insert | undefined;
}

export interface Insert {
  /** Text of the INSERT up to VALUES. */
  head: string;
  table: Table;
  shapes: readonly RowShape[];
  replaces: boolean;
}

/**
 * A state of the reader of SQL dumps: reads on from the current position, and returns the next state, or
 * undefined if more must be in memory. A row, or the head of a statement, is then read again from its start.
 */
export type Mode = (window: Window) => Mode | undefined;

/** Reads one kind of SQL statement. `end`: index after the first word. `then`: state after the statement. */
export type StatementReader = (reader: Reader, window: Window, end: number, then: Mode) => Mode | undefined;

export function sessionChanged(reader: Reader, window: Window): void {
  const dialect = dialectOf(reader.session);
  if (dialect !== reader.dialect) {
    reader.dialect = dialect;
    reader.lastInsert = undefined;
    if (dialect.hasGoLines) reader.hasNoSemicolons = true;
  }
  noteCharset(reader, window);
}

export function noteCharset(reader: Reader, window: Window): void {
  window.foreignCharset = reader.isEncodingGiven ? undefined : foreignCharset(reader.session);
  window.mayEmbedBackslashes = !reader.isEncodingGiven && lacksCharset(reader.session);
}

/** Schemas of table names that have none, unless the SQL dump sets another schema. */
const DEFAULT_SCHEMAS: readonly (readonly [schema: string, families: readonly Family[]])[] = [
  ['public', ['postgres', 'standard']],
  ['dbo', ['mssql', 'standard']],
];

const qualifiedName = ({ schema }: Reader, parts: readonly string[]): string =>
  parts.length === 1 && schema !== undefined ? `${schema}.${parts[0]}` : parts.join('.');

/** `users` and `public.users` are the same SQL table. */
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

/** Creates the SQL table if the dump has not named it before. */
export const tableOf = (reader: Reader, parts: readonly string[]): Table =>
  knownTable(reader, parts) ?? tableNamed(reader.tables, qualifiedName(reader, parts));
