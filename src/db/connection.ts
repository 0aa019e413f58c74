import pg from 'pg';
import { type Copy, CopyIn } from './copy-in.ts';
import { isUnavailable, storageError } from './pg-error.ts';

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
  /** Begins the transaction, with its first statement. */
  #begin: string | undefined;

  constructor(client: pg.PoolClient) {
    this.#client = client;
  }

  async query<Row extends pg.QueryResultRow>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    const begin = this.#takeBegin();
    if (begin !== undefined) await this.query(begin);
    try {
      // Without values it may be several statements.
      const result =
        values.length === 0 ? this.#client.query<Row>(text) : this.#client.query<Row>(text, [...values]);
      return (await result).rows;
    } catch (error) {
      throw this.#failed(error);
    }
  }

  /** One after the other, with one wait for all. After that nothing reads the rows any more, unless it failed. */
  async copy(copies: readonly Copy[]): Promise<void> {
    if (copies.length === 0) return;
    const begin = this.#takeBegin();
    try {
      await this.#client.query(new CopyIn(begin === undefined ? [] : [begin], copies)).done;
    } catch (error) {
      // Given up on (it waited for a lock, say), it would keep what is sent next waiting, too.
      const isStalled = !(error instanceof pg.DatabaseError);
      this.isBroken ||= isStalled;
      if (isStalled && this.#client instanceof pg.Client) await this.#client.end();
      throw this.#failed(error);
    }
  }

  /**
   * Runs `work`, one statement at a time, in one transaction; whatever it throws rolls back. `begin` may add settings that
   * end with it.
   */
  async transaction<T>(work: () => Promise<T>, begin = 'begin'): Promise<T> {
    this.isBroken = true;
    this.#begin = begin;
    try {
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

  #failed(error: unknown): unknown {
    this.isBroken ||= isUnavailable(error);
    return storageError(error);
  }

  #takeBegin(): string | undefined {
    const begin = this.#begin;
    this.#begin = undefined;
    return begin;
  }
}
