import type pg from 'pg';

/** Sends one statement and returns its rows. */
export interface Sender {
  query<Row extends pg.QueryResultRow>(text: string, values?: readonly unknown[]): Promise<Row[]>;
}

/** Describes rows of a table that are read and locked until the transaction ends. */
export type RowsToLock = {
  table: string;
  /** Further items of the FROM clause with columns that the condition uses: `unnest(…) as t (…)`. */
  with?: string;
  where: string;
  columns: string;
  /**
   * Columns that determine the order in which rows are locked. All transactions that lock several rows must use the
   * same order.
   */
  key: string;
} & (
  | {
      /** Condition for `shardCondition` if `where` does not limit the distribution column; otherwise empty. */
      shard: string;
    }
  | {
      /**
       * Column that a no-op update assigns to itself: the shortest one, because its value is copied. Rows of this kind
       * may be in any shards.
       */
      noopColumn: string;
    }
);

/**
 * Differences between one PostgreSQL and Citus that concern a connection or a transaction. Each connection has the
 * engine of its database. Statements about users that differ are in `UserQueries`
 * (src/postgres/users/user-queries.ts).
 */
export interface Engine {
  readonly name: 'postgres' | 'citus';
  /** Query by which the readiness probe tests the database. It fails unless all nodes answer. */
  readonly probe: string;
  /** Number of lines in a chunk of a bulk import, relative to one PostgreSQL (docs/adr/0008-bulk-writes.md). */
  readonly chunkScale: number;
  /** Whether the statements that begin a transaction can be sent together with the next COPY. */
  readonly sendsBeginWithCopy: boolean;
  /**
   * Returns the messages that begin a transaction.
   * @param begin statements, separated by `; `
   */
  beginMessages(begin: string): string[];
  /** Gives an error of the driver the code and the constraint that one PostgreSQL would have reported. */
  normaliseError(error: unknown): void;
  /** Returns whether the error comes from another node, while the connection to this one is still good. */
  isOfOtherNode(error: unknown): boolean;
  /** Returns a name for the server that did not answer. Used in messages. */
  nameOfUnavailable(error: unknown): string;
  /** Returns the SQL statement that locks and returns the described rows. */
  lockingRows(rows: RowsToLock): string;
  /**
   * Locks and returns these rows. Unlike in `lockingRows`, columns may use expressions that depend on settings of the
   * session, such as JSON or times as text.
   * @param values values of the parameters in `where`
   * @param ofColumns values of further parameters, which `columns` uses
   */
  lockRows<Row extends pg.QueryResultRow>(
    db: Sender,
    rows: RowsToLock,
    values: readonly unknown[],
    ofColumns?: readonly unknown[],
  ): Promise<Row[]>;
  /**
   * Returns the end of a condition that limits a statement to the shard of its rows, such as `and email = any ($1)`.
   * Returns an empty text if no such end is needed.
   */
  shardCondition(condition: string): string;
  /**
   * Groups items by the shard that has their rows. Statements that change many known users run once per group.
   * @param keyOf returns the value of the table's distribution column
   */
  groupByShard<Item>(
    db: Sender,
    table: string,
    items: readonly Item[],
    keyOf: (item: Item) => string,
  ): Promise<(readonly Item[])[]>;
  /**
   * Keeps out other changes of this user until the transaction ends, as far as the lock on the user's row does not do
   * so.
   */
  lockChange(client: Sender, userId: string): Promise<void>;
  /** Keeps out all changes of single users until the transaction ends, as far as locks on rows do not do so. */
  lockOutChanges(client: Sender): Promise<void>;
  /**
   * Prepares the connection for COPY on all nodes. Must be called in a transaction that reads a table with users and
   * later writes to it by COPY or `insert … select`.
   */
  prepareAllNodes(client: Sender): Promise<void>;
}

/** Engine of one PostgreSQL, where row locks and the commit of a single server suffice. */
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

/** Returns the SQL statement that reads the described rows in any order, without locks. */
export const readingRows = ({ table, with: others, where, columns }: RowsToLock): string =>
  `select ${columns} from ${table} login${others === undefined ? '' : `, ${others}`} where ${where}`;

/**
 * Returns a statement that locks these rows in the order of their key.
 * @param condition further end of the condition
 */
export const lockingInOrder = (rows: RowsToLock, condition = ''): string =>
  `${readingRows(rows)}${condition} order by ${rows.key} for no key update of login`;

/** Returns a function that caches the value of `make` per engine, so that statements are not built for every call. */
export function onceForEachEngine<T>(make: (engine: Engine) => T): (engine: Engine) => T {
  const made = new Map<Engine, T>();
  return (engine) => {
    const value = made.get(engine) ?? make(engine);
    made.set(engine, value);
    return value;
  };
}
