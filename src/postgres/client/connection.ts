import pg from 'pg';
import { cancelStatement } from './cancel-statement.ts';
import { type Copy, CopyIn } from './copy-in.ts';
import { CopyOut } from './copy-out.ts';
import type { Engine, Sender } from './engine.ts';
import { isUnavailable, storageError } from './pg-error.ts';

/** Runs statements: a connection pool, or the one connection of a transaction. */
export interface Queryable extends Sender {
  readonly engine: Engine;
  /** @throws {AppError} STORAGE_UNAVAILABLE when the database cannot be reached; else what the driver threw */
  query<Row extends pg.QueryResultRow>(text: string, values?: readonly unknown[]): Promise<Row[]>;
}

/** The one connection of a transaction. */
export interface Transaction extends Queryable {
  copy(copies: readonly Copy[]): Promise<void>;
}

/** One connection, lent to a piece of work for as long as that takes. */
export class Connection implements Transaction {
  readonly #client: pg.PoolClient;
  readonly #timeoutMs: number;
  readonly engine: Engine;
  /** Whether the state of the connection is unknown. It must not be lent again then. */
  isBroken = false;
  /** Whether a statement is running. It reports a broken connection by failing, so the error needs no other listener. */
  isBusy = false;
  /**
   * Set when a statement was not answered in time. Resolves when the server was asked to end it: the client must stay
   * connected until then.
   */
  givenUp: Promise<void> | undefined;
  /** Statement that begins the transaction. It is sent right before the first statement. */
  #begin: string | undefined;

  /** @param timeoutMs longest a statement may take to answer */
  constructor(client: pg.PoolClient, { timeoutMs, engine }: { timeoutMs: number; engine: Engine }) {
    this.#client = client;
    this.#timeoutMs = timeoutMs;
    this.engine = engine;
  }

  async query<Row extends pg.QueryResultRow>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    for (const begin of this.#takeBegin()) await this.query(begin);
    const result = await this.#answer(() =>
      // Without values the text may hold several statements.
      values.length === 0 ? this.#client.query<Row>(text) : this.#client.query<Row>(text, [...values]),
    );
    return result.rows;
  }

  /**
   * Runs these COPY one after the other, with one wait for all; outside of a transaction, all or none of them. When it resolves,
   * nothing reads the rows any more, and their memory can be used again; where it throws, it cannot.
   * @throws {Error} when Postgres read another number of rows than was meant, as it would of memory that was written over
   */
  async copy(copies: readonly Copy[]): Promise<void> {
    if (copies.length === 0) return;
    const begin = this.#takeBegin();
    const isTogether = this.engine.sendsBeginWithCopy;
    if (!isTogether) for (const message of begin) await this.query(message);
    const counts = await this.#answer(async () => {
      try {
        return await this.#client.query(new CopyIn(isTogether ? begin : [], copies)).done;
      } catch (error) {
        // The COPY was not sent completely, so the next statement on this connection would wait for ever.
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
   * Runs `work`, one statement at a time, in one transaction; whatever it throws rolls back. `begin` may also set an
   * isolation level, or settings that end with the transaction.
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
      // A rollback would only wait behind the statement that was given up. The end of the connection rolls back, too.
      if (this.givenUp !== undefined) throw error;
      this.isBroken = await this.query('rollback').then(
        () => false,
        () => true,
      );
      throw error;
    }
  }

  /**
   * Yields the rows of this statement `copy … to stdout`, in blocks of whole rows, and returns their number. It may take
   * longer than other statements: `signal` ends it. A reader that stops early ends it, too.
   */
  async *copyOut(statement: string, signal: AbortSignal): AsyncGenerator<Buffer, number> {
    signal.throwIfAborted();
    const copy = new CopyOut(statement);
    const stop = () => {
      this.givenUp ??= cancelStatement(this.#client);
      copy.drop(signal.reason);
    };
    signal.addEventListener('abort', stop);
    this.isBroken = true;
    this.isBusy = true;
    try {
      this.#client.query(copy);
      yield* copy.blocks();
      this.isBroken = false;
      return copy.count;
    } catch (error) {
      this.engine.normaliseError(error);
      throw storageError(error);
    } finally {
      signal.removeEventListener('abort', stop);
      this.isBusy = false;
      if (!copy.isOver) {
        this.givenUp ??= cancelStatement(this.#client);
        copy.drop(new Error('nobody reads the rows any more'));
      }
    }
  }

  /** Returns the result of `send`. If that takes too long, the statement is cancelled and the connection is discarded. */
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
      this.engine.normaliseError(error);
      this.isBroken ||= isUnavailable(error) && !this.engine.isOfOtherNode(error);
      throw storageError(error);
    } finally {
      clearTimeout(timer);
      this.isBusy = false;
    }
  }

  #takeBegin(): string[] {
    const begin = this.#begin;
    this.#begin = undefined;
    return begin === undefined ? [] : this.engine.beginMessages(begin);
  }
}
