import type { Completeness } from './completeness.ts';
import type { Dialect } from './dialect.ts';
import type { RowShape } from './row-shape.ts';
import { dialectOf, foreignCharset, lacksCharset, type Session } from './session.ts';
import type { Table, Tables } from './tables.ts';
import type { Window } from './window.ts';

/** What is known while a dump is read. */
export interface Reader {
  readonly session: Session;
  /** Of the session, for the statement that is read. */
  dialect: Dialect;
  readonly tables: Tables;
  readonly completeness: Completeness;
  /** Whether the operator has said which encoding the file is in. */
  readonly isEncodingGiven: boolean;
  /** What names without one are in: the database of MySQL's USE, the schema of PostgreSQL's search_path. */
  schema: string | undefined;
  /** PostgreSQL's database, by `\\connect`. */
  database: string | undefined;
  /** What ends statements: MySQL's DELIMITER changes it. */
  delimiter: string;
  /** Did an INSERT begin after another that no semicolon ended? Then the last one need not have one, either. */
  hasNoSemicolons: boolean;
  /** Whether the file has settings, as dumps have before their rows. If not, its lines may have been filtered out of a dump. */
  hasHead: boolean;
  /** Names of PostgreSQL's roles that were read. */
  readonly roles: Set<string>;
  /** The INSERT that was read last, up to VALUES: most begin as the one before. */
  lastInsert: Insert | undefined;
}

/** The beginning of an INSERT, and what is known of it. */
export interface Insert {
  /** Up to VALUES. */
  head: string;
  table: Table;
  shapes: readonly RowShape[];
  /** A row takes the place of another with the same key. */
  replaces: boolean;
}

/**
 * Reads on from where the window stands, and returns what is to read on after it; undefined where it must see more first.
 * A row, or the head of a statement, is read again from its start then.
 */
export type Mode = (window: Window) => Mode | undefined;

/**
 * Reads one kind of statement.
 * @param end after its first word
 * @param then what reads on after it
 */
export type StatementReader = (reader: Reader, window: Window, end: number, then: Mode) => Mode | undefined;

/** Takes over what the session has become. */
export function sessionChanged(reader: Reader, window: Window): void {
  const dialect = dialectOf(reader.session);
  if (dialect !== reader.dialect) {
    reader.dialect = dialect;
    reader.lastInsert = undefined;
    if (dialect.hasGoLines) reader.hasNoSemicolons = true;
  }
  noteCharset(reader, window);
}

/** Each window must know in which encoding its texts are. */
export function noteCharset(reader: Reader, window: Window): void {
  window.foreignCharset = reader.isEncodingGiven ? undefined : foreignCharset(reader.session);
  window.mayEmbedBackslashes = !reader.isEncodingGiven && lacksCharset(reader.session);
}

/** The name of a table, with the schema that it is in. */
export function qualifiedName({ schema }: Reader, parts: readonly string[]): string {
  return parts.length === 1 && schema !== undefined ? `${schema}.${parts[0]}` : parts.join('.');
}
