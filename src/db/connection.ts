import { finished } from 'node:stream/promises';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { storageError } from './pg-error.ts';

/** What can run a statement: the pool, or the one client of a transaction. */
export interface Queryable {
  /** @throws {AppError} STORAGE_UNAVAILABLE when the database cannot be reached; else what the driver threw */
  query<Row extends pg.QueryResultRow>(text: string, values?: readonly unknown[]): Promise<Row[]>;
}

/** One connection, held while a piece of work needs it. */
export class Connection implements Queryable {
  readonly #client: pg.PoolClient;
  /** Whether its state is unknown, so that nobody else may have it. */
  isBroken = false;

  constructor(client: pg.PoolClient) {
    this.#client = client;
  }

  async query<Row extends pg.QueryResultRow>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    try {
      // Without values it may be several statements.
      const result =
        values.length === 0 ? this.#client.query<Row>(text) : this.#client.query<Row>(text, [...values]);
      return (await result).rows;
    } catch (error) {
      throw storageError(error);
    }
  }

  /** Runs `copy … from stdin` with rows in its text format. */
  async copy(statement: string, rows: Buffer): Promise<void> {
    const stream = this.#client.query(copyFrom(statement));
    try {
      await finished(stream.end(rows));
    } catch (error) {
      // Given up on (it waited for a lock, say), the stream has let go of its connection, and what Postgres still sent to
      // it would end the process.
      const isStalled = !(error instanceof pg.DatabaseError);
      if (isStalled && this.#client instanceof pg.Client) await this.#client.end();
      throw storageError(error);
    }
  }

  /** Runs `work` in one transaction; whatever it throws rolls back. `begin` may add settings that end with it. */
  async transaction<T>(work: () => Promise<T>, begin = 'begin'): Promise<T> {
    this.isBroken = true;
    try {
      await this.query(begin);
      const result = await work();
      await this.query('commit');
      this.isBroken = false;
      return result;
    } catch (error) {
      this.isBroken = await this.query('rollback').then(
        () => false,
        () => true,
      );
      throw error;
    }
  }
}
