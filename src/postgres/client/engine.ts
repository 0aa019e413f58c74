import type pg from 'pg';

/** Sends one statement, and returns its rows. */
export interface Sender {
  query<Row extends pg.QueryResultRow>(text: string, values?: readonly unknown[]): Promise<Row[]>;
}

/** Rows to read, and to lock until the transaction ends. */
export type RowsToLock = {
  table: string;
  /** Source of the other columns that the condition names: `unnest(…) as t (…)`. */
  with?: string;
  where: string;
  columns: string;
  /** Order in which the rows are locked. Every transaction that locks several of them uses the same order. */
  key: string;
} & (
  | {
      /** Condition for `shardCondition` if `where` does not limit the distribution column; otherwise empty. */
      shard: string;
    }
  | {
      /** The rows are in any shards. Column that a no-op update assigns to itself: the shortest one, because its value is copied. */
      noopColumn: string;
    }
);

/**
 * What differs between one PostgreSQL and Citus on a connection and in a transaction. Each connection has the engine of its
 * database. `UserQueries` (src/postgres/users/user-queries.ts) has the statements about users that differ.
 */
export interface Engine {
  readonly name: 'postgres' | 'citus';
  /** Query of the readiness probe. It fails unless all nodes answer. */
  readonly probe: string;
  /** Lines of a chunk of a bulk import, as a multiple of the lines on one PostgreSQL (docs/adr/0008-bulk-writes.md). */
  readonly chunkScale: number;
  /** Whether the statements that begin a transaction can be sent together with the COPY that follows them. */
  readonly sendsBeginWithCopy: boolean;
  /** Returns the messages that begin a transaction. @param begin statements with `; ` between them */
  beginMessages(begin: string): string[];
  /** Gives an error of the driver the code and the constraint that one PostgreSQL would have reported. */
  normaliseError(error: unknown): void;
  /** Returns whether another node failed, while the connection itself is still good. */
  isOfOtherNode(error: unknown): boolean;
  /** Returns a name for the server that did not answer, for messages. */
  nameOfUnavailable(error: unknown): string;
  /** Returns a statement that locks these rows, and returns them. */
  lockingRows(rows: RowsToLock): string;
  /**
   * Locks these rows, and returns them. Unlike those of `lockingRows`, the columns may depend on settings of the session, as JSON and
   * times as text do.
   * @param values values of the parameters in `where`
   * @param ofColumns values of the parameters after them, which `columns` has
   */
  lockRows<Row extends pg.QueryResultRow>(
    db: Sender,
    rows: RowsToLock,
    values: readonly unknown[],
    ofColumns?: readonly unknown[],
  ): Promise<Row[]>;
  /** Returns the end of a condition that limits a statement to the shard of its rows, such as `and email = any ($1)`; or nothing. */
  shardCondition(condition: string): string;
  /**
   * Groups items by the shard that has their rows. Statements that change many known users run once for each group.
   * @param keyOf returns the value of the distribution column of the table
   */
  groupByShard<Item>(
    db: Sender,
    table: string,
    items: readonly Item[],
    keyOf: (item: Item) => string,
  ): Promise<(readonly Item[])[]>;
  /** Excludes other changes of this user until the transaction ends, as far as the lock of the user's row does not. */
  lockChange(client: Sender, userId: string): Promise<void>;
  /** Excludes all changes of single users until the transaction ends, as far as locks of rows do not. */
  lockOutChanges(client: Sender): Promise<void>;
  /** Must be called in a transaction that reads a table with users and then writes to it by COPY or `insert … select`. */
  prepareAllNodes(client: Sender): Promise<void>;
}

/** One PostgreSQL: locks of rows and the commit of one server do all that is needed. */
export const ONE_POSTGRES: Engine = {
  name: 'postgres',
  probe: 'select 1',
  chunkScale: 1,
  sendsBeginWithCopy: true,
  beginMessages: (begin) => [begin],
  normaliseError() {},
  isOfOtherNode: () => false,
  nameOfUnavailable: () => 'the database',
  lockingRows: (rows) => lockingInOrder(rows),
  lockRows: (db, rows, values, ofColumns = []) => db.query(lockingInOrder(rows), [...values, ...ofColumns]),
  shardCondition: () => '',
  groupByShard: async (_db, _table, items) => (items.length === 0 ? [] : [items]),
  async lockChange() {},
  async lockOutChanges() {},
  async prepareAllNodes() {},
};

/** Returns a statement that reads these rows, in any order, and locks none. */
export const readingRows = ({ table, with: others, where, columns }: RowsToLock): string =>
  `select ${columns} from ${table} login${others === undefined ? '' : `, ${others}`} where ${where}`;

/** Returns a statement that locks these rows in the order of their key. @param condition further end of the condition */
export const lockingInOrder = (rows: RowsToLock, condition = ''): string =>
  `${readingRows(rows)}${condition} order by ${rows.key} for no key update of login`;

/** Returns a function that caches the value of `make` for each engine, so that statements are not built again for every call. */
export function onceForEachEngine<T>(make: (engine: Engine) => T): (engine: Engine) => T {
  const made = new Map<Engine, T>();
  return (engine) => {
    const value = made.get(engine) ?? make(engine);
    made.set(engine, value);
    return value;
  };
}
