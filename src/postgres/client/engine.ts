import type pg from 'pg';

export interface Sender {
  query<Row extends pg.QueryResultRow>(text: string, values?: readonly unknown[]): Promise<Row[]>;
}

/** Table rows to read and lock until the transaction ends. */
export type RowsToLock = {
  table: string;
  /** Further items of the FROM clause, such as `unnest(…) as t (…)`, whose columns `where` uses. */
  with?: string;
  where: string;
  columns: string;
  /** All transactions that lock several rows must use the same order. */
  key: string;
} & (
  | {
      /** Condition that limits the statement to the right shards. Empty if `where` limits the distribution column. */
      shard: string;
    }
  | {
      /** Short column that an update sets to itself. Citus can lock rows of several shards only by changing them. */
      noopColumn: string;
    }
);

/** Differences between one PostgreSQL and Citus. Statements about users that differ are in `UserQueries`. */
export interface Engine {
  readonly name: 'postgres' | 'citus';
  /** Query of the readiness probe. It fails unless all nodes of a cluster answer. */
  readonly probe: string;
  /** Factor for the number of lines in a chunk of a bulk import (docs/adr/0008-bulk-writes.md). */
  readonly chunkScale: number;
  /**
   * Whether each statement that begins a transaction needs a message of its own. Citus forwards the whole text of
   * a message that contains a `set` to the nodes. Otherwise, they are sent in one message with the next COPY.
   */
  readonly splitsMessages: boolean;
  /** Sets, in the driver's error, the code and the constraint that one PostgreSQL would have reported. */
  normaliseError(error: unknown): void;
  /** Returns whether the error comes from another node, so that this connection can still be used. */
  isOfOtherNode(error: unknown): boolean;
  /** Returns a name for the server that did not answer, for error messages. */
  nameOfUnavailable(error: unknown): string;
  /** Returns the SQL statement that locks the described rows and returns them. */
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
  /** Condition such as `and email = any ($1)` that limits a statement to the shard of its rows, or empty. */
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
  /** Makes other changes of the user wait until the transaction ends. Without Citus, row locks do that. */
  lockChange(client: Sender, userId: string): Promise<void>;
  /** Makes changes of all single users wait until the transaction ends. Without Citus, row locks do that. */
  lockOutChanges(client: Sender): Promise<void>;
  /** Must be called between a read of a table of users and a write to it by COPY or `insert … select`. */
  prepareAllNodes(client: Sender): Promise<void>;
}

export const ONE_POSTGRES: Engine = {
  name: 'postgres',
  probe: 'select 1',
  chunkScale: 1,
  splitsMessages: false,
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

export const readingRows = ({ table, with: others, where, columns }: RowsToLock): string =>
  `select ${columns} from ${table} login${others === undefined ? '' : `, ${others}`} where ${where}`;

/** @param condition follows the `where` condition: empty, or `and` with a further condition */
export const lockingInOrder = (rows: RowsToLock, condition = ''): string =>
  `${readingRows(rows)}${condition} order by ${rows.key} for no key update of login`;

/** Calls `make` once per engine, so that SQL texts are not built for every call. */
export function onceForEachEngine<T>(make: (engine: Engine) => T): (engine: Engine) => T {
  const made = new Map<Engine, T>();
  return (engine) => {
    const value = made.get(engine) ?? make(engine);
    made.set(engine, value);
    return value;
  };
}
