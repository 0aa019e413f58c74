import type pg from 'pg';

/** Sends one SQL statement and returns its rows. */
export interface Sender {
  query<Row extends pg.QueryResultRow>(text: string, values?: readonly unknown[]): Promise<Row[]>;
}

/** Description of table rows that are to be read and locked until the transaction ends. */
export type RowsToLock = {
  table: string;
  /**
   * Further items of the FROM clause, such as `unnest(…) as t (…)`, if the condition `where` uses columns of
   * them.
   */
  with?: string;
  where: string;
  columns: string;
  /**
   * Columns that determine the order in which rows are locked. All transactions that lock several rows must
   * use the same order.
   */
  key: string;
} & (
  | {
      /**
       * Condition that limits the statement to the right shards of a Citus table, if `where` does not limit
       * the distribution column; otherwise empty.
       */
      shard: string;
    }
  | {
      /**
       * Column that an update assigns to itself in order to lock the row. It should be the shortest column,
       * because its value is copied. Given for rows that may be in any shards, which Citus locks only by an
       * update.
       */
      noopColumn: string;
    }
);

/**
 * Differences between one PostgreSQL and a Citus cluster that concern a connection or a transaction. Each
 * connection has the engine of its database. Statements about users that differ are in `UserQueries`
 * (src/postgres/users/user-queries.ts).
 */
export interface Engine {
  readonly name: 'postgres' | 'citus';
  /** Query by which the readiness probe tests the database. It fails unless all nodes of a cluster answer. */
  readonly probe: string;
  /**
   * Factor for the number of lines in a chunk of a bulk import, which is 1 for one PostgreSQL
   * (docs/adr/0008-bulk-writes.md).
   */
  readonly chunkScale: number;
  /** Whether the statements that begin a transaction can be sent in one message with the next COPY. */
  readonly sendsBeginWithCopy: boolean;
  /**
   * Splits the statements that begin a transaction into the messages to send to the database. Citus needs
   * one message for each statement, because it forwards the whole text of a message that contains a `set` to
   * the nodes.
   * @param begin statements, separated by `; `
   */
  beginMessages(begin: string): string[];
  /**
   * Changes an error of the driver in place: it gets the code and the constraint that one PostgreSQL would
   * have reported.
   */
  normaliseError(error: unknown): void;
  /**
   * Returns whether the error comes from another node of a cluster, so that the connection to this one can
   * still be used.
   */
  isOfOtherNode(error: unknown): boolean;
  /** Returns a name for the server that did not answer, for error messages. */
  nameOfUnavailable(error: unknown): string;
  /** Returns the SQL statement that locks the rows that `RowsToLock` describes, and returns them. */
  lockingRows(rows: RowsToLock): string;
  /**
   * Locks the described rows and returns them. Unlike in `lockingRows`, columns may use expressions that
   * depend on settings of the session, such as JSON or times as text.
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
   * Returns the end of an SQL condition that limits a statement to the shard of its rows, such as `and email
   * = any ($1)`. Empty if the engine has no shards.
   */
  shardCondition(condition: string): string;
  /**
   * Groups items by the shard of a table that has their rows. Statements that change many existing users run
   * once per group.
   * @param keyOf returns the value of the table's distribution column
   */
  groupByShard<Item>(
    db: Sender,
    table: string,
    items: readonly Item[],
    keyOf: (item: Item) => string,
  ): Promise<(readonly Item[])[]>;
  /**
   * Makes other changes of this user wait until the transaction ends, if the lock on the user's row is not
   * sufficient for this.
   */
  lockChange(client: Sender, userId: string): Promise<void>;
  /**
   * Makes changes of all single users wait until the transaction ends, if locks on rows are not sufficient
   * for this.
   */
  lockOutChanges(client: Sender): Promise<void>;
  /**
   * Prepares the connection for a COPY to all nodes of a cluster. Must be called in a transaction that reads
   * a table with users and later writes to it by COPY or `insert … select`.
   */
  prepareAllNodes(client: Sender): Promise<void>;
}

/** Engine of one PostgreSQL. The locks on rows and the commit of a single server are sufficient. */
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

/**
 * Returns the SQL statement that reads the rows that `RowsToLock` describes, in any order and without
 * locking them.
 */
export const readingRows = ({ table, with: others, where, columns }: RowsToLock): string =>
  `select ${columns} from ${table} login${others === undefined ? '' : `, ${others}`} where ${where}`;

/**
 * Returns the SQL statement that locks the described rows in the order of their key.
 * @param condition SQL text that follows the `where` condition: empty, or `and` with a further condition
 */
export const lockingInOrder = (rows: RowsToLock, condition = ''): string =>
  `${readingRows(rows)}${condition} order by ${rows.key} for no key update of login`;

/**
 * Returns a function that calls `make` once per engine and keeps the result, so that SQL texts are not built
 * for every call.
 */
export function onceForEachEngine<T>(make: (engine: Engine) => T): (engine: Engine) => T {
  const made = new Map<Engine, T>();
  return (engine) => {
    const value = made.get(engine) ?? make(engine);
    made.set(engine, value);
    return value;
  };
}
