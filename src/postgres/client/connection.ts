import pg from 'pg';
import { cancelStatement } from './cancel-statement.ts';
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
  readonly #timeoutMs: number;
  /** Whether its state is unknown, so that nobody else may have it. */
  isBroken = false;
  /** Whether a statement is under way, which fails when the connection does. */
  isBusy = false;
  /** A statement was not answered in time. Resolves when the server was asked to end it: the client must stay until then. */
  givenUp: Promise<void> | undefined;
  /** Begins the transaction, with its first statement. */
  #begin: string | undefined;

  /** @param timeoutMs longest a statement may take to answer */
  constructor(client: pg.PoolClient, timeoutMs: number) {
    this.#client = client;
    this.#timeoutMs = timeoutMs;
  }

  async query<Row extends pg.QueryResultRow>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    const begin = this.#takeBegin();
    if (begin !== undefined) await this.query(begin);
    const result = await this.#answer(() =>
      // Without values it may be several statements.
      values.length === 0 ? this.#client.query<Row>(text) : this.#client.query<Row>(text, [...values]),
    );
    return result.rows;
  }

  /**
   * One after the other, with one wait for all. After that nothing reads the rows any more, unless it failed.
   * @throws {Error} when Postgres read other rows than were meant: bytes that somebody else wrote over, say
   */
  async copy(copies: readonly Copy[]): Promise<void> {
    if (copies.length === 0) return;
    const begin = this.#takeBegin();
    const counts = await this.#answer(async () => {
      try {
        return await this.#client.query(new CopyIn(begin === undefined ? [] : [begin], copies)).done;
      } catch (error) {
        // Not sent whole, it would keep what is sent next waiting, too.
        if (!(error instanceof pg.DatabaseError)) {
          this.isBroken = true;
          await this.#client.end();
        }
        throw error;
      }
    });
    for (const [index, { statement, count }] of copies.entries()) {
      if (counts[index] === count) continue;
      throw new Error(`${statement} wrote ${counts[index]} rows instead of ${count}`);
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
      // Behind a statement that goes on it would only wait; the end of the connection rolls back, too.
      if (this.givenUp !== undefined) throw error;
      this.isBroken = await this.query('rollback').then(
        () => false,
        () => true,
      );
      throw error;
    }
  }

  /** What `send` resolves with, unless that takes too long: the statement is then cancelled, and the connection over. */
  async #answer<T>(send: () => Promise<T>): Promise<T> {
    let timer: NodeJS.Timeout | undefined;
    try {
      if (this.givenUp !== undefined) throw new Error('an earlier statement was not answered in time');
      this.isBusy = true;
      const late = new Promise<never>((_, reject) => {
        timer = setTimeout(() => {
          this.givenUp = cancelStatement(this.#client);
          reject(new Error(`a statement was not answered within ${this.#timeoutMs} ms`));
        }, this.#timeoutMs);
      });
      return await Promise.race([send(), late]);
    } catch (error) {
      this.isBroken ||= isUnavailable(error);
      throw storageError(error);
    } finally {
      clearTimeout(timer);
      this.isBusy = false;
    }
  }

  #takeBegin(): string | undefined {
    const begin = this.#begin;
    this.#begin = undefined;
    return begin;
  }
}
