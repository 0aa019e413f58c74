import type { Completeness } from './completeness.ts';
import type { Dialect } from './dialect.ts';
import type { RowShape } from './row-shape.ts';
import type { Table, Tables } from './tables.ts';
import type { Window } from './window.ts';

/** What is known while a dump is read. */
export interface Reader {
  readonly dialect: Dialect;
  readonly tables: Tables;
  readonly completeness: Completeness;
  /** What names without one are in: the database of MySQL's USE, the schema of PostgreSQL's search_path. */
  schema: string | undefined;
  /** Did an INSERT begin after another that no semicolon ended? Then the last one need not have one, either. */
  hasNoSemicolons: boolean;
  /** The INSERT that was read last, up to VALUES: most begin as the one before. */
  lastInsert: { head: string; table: Table; shapes: readonly RowShape[] } | undefined;
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

/** The name of a table, with the schema that it is in. */
export function qualifiedName({ schema }: Reader, parts: readonly string[]): string {
  return parts.length === 1 && schema !== undefined ? `${schema}.${parts[0]}` : parts.join('.');
}
