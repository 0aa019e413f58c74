import pg from 'pg';
import { retry } from '../../lib/async/retry.ts';
import { AppError } from '../../lib/errors.ts';
import { Connection, type Queryable, type Transaction } from './connection.ts';
import { type Engine, ONE_POSTGRES } from './engine.ts';
import { isLostRace, storageError } from './pg-error.ts';

/** Most calls that may wait for a connection: it bounds their memory. */
const MAX_WAITING = 10_000;

/**
 * Maximum number of times that a statement runs again after it lost a race, within its time limit. One PostgreSQL needs few. Citus
 * ends the youngest transaction of a deadlock, and a transaction that starts again is the youngest.
 */
const MAX_RETRIES = 10;

/** Maximum pause before the first retry, in ms; later pauses are longer. Random, so that two conflicting calls do not retry together. */
const RETRY_PAUSE_MS = 10;

/** The `application_name` of the service's connections in `pg_stat_activity`. */
export const APPLICATION_NAME = 'user-import-core';

export interface PoolOptions {
  uri: string;
  /** Most connections held. */
  size: number;
  /** Maximum time of a statement, in ms. After it, the statement is cancelled. */
  timeoutMs: number;
  /** Maximum time to wait for a connection, in ms. Defaults to 5 s. */
  connectTimeoutMs?: number;
  /** Called when a connection breaks while no statement runs on it, for the log: it is replaced when one is needed. */
  onIdleError(error: Error): void;
}

/** A connection pool. Statements are unnamed and sessions carry no state, so that a transaction-mode pooler may sit between. */
export class Database implements Queryable {
  readonly #pool: pg.Pool;
  readonly #timeoutMs: number;
  readonly #onIdleError: PoolOptions['onIdleError'];
  /** Engine of the database. The start detects it by the first statements; until then it is assumed to be one PostgreSQL. */
  engine: Engine = ONE_POSTGRES;

  constructor(options: PoolOptions) {
    // Statements are timed here: poolers refuse the parameter statement_timeout at connect.
    this.#timeoutMs = options.timeoutMs;
    this.#onIdleError = options.onIdleError;
    this.#pool = new pg.Pool({
      connectionString: options.uri,
      max: options.size,
      connectionTimeoutMillis: Math.min(options.connectTimeoutMs ?? 5000, options.timeoutMs),
      keepAlive: true,
      application_name: APPLICATION_NAME,
    });
    this.#pool.on('error', options.onIdleError);
    // A client that is lent out has no other listener for errors. Its borrower sees the loss, because its next statement fails.
    this.#pool.on('connect', (client) => client.on('error', () => {}));
  }

  /** Returns how many connections there are, how many of them are idle, and how many calls wait for one. */
  poolCounts(): { total: number; idle: number; waiting: number; max: number } {
    const { totalCount, idleCount, waitingCount, options } = this.#pool;
    return { total: totalCount, idle: idleCount, waiting: waitingCount, max: options.max };
  }

  async query<Row extends pg.QueryResultRow>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    return this.#retryLostRaces(() => this.connection((connection) => connection.query<Row>(text, values)));
  }

  /**
   * Refuses calls when too many wait for a connection. They would be told at last that the database is away; this says at
   * once what is wrong.
   */
  #refuseWhenFlooded(): void {
    if (this.#pool.waitingCount < MAX_WAITING) return;
    throw new AppError('OVERLOADED', 'Service is overloaded: too many calls wait for a database connection');
  }

  /** Lends one connection to `work`. */
  async connection<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    const { connection, release } = await this.#lend();
    try {
      return await work(connection);
    } finally {
      release();
    }
  }

  /** Yields the rows of a statement on a connection of its own, as `Connection.copyOut` does. */
  async *copyOut(statement: string, signal: AbortSignal): AsyncGenerator<Buffer, number> {
    const { connection, release } = await this.#lend();
    try {
      return yield* connection.copyOut(statement, signal);
    } finally {
      release();
    }
  }

  async #lend(): Promise<{ connection: Connection; release(): void }> {
    this.#refuseWhenFlooded();
    const client = await this.#pool.connect().catch((error: unknown) => {
      throw storageError(error);
    });
    const connection = new Connection(client, { timeoutMs: this.#timeoutMs, engine: this.engine });
    // pg listens to idle connections only, and an error that nobody listens to would end the process.
    const onError = (error: Error) => {
      if (!connection.isBusy && connection.givenUp === undefined) this.#onIdleError(error);
    };
    client.on('error', onError);
    const giveBack = () => {
      client.off('error', onError);
      client.release(connection.isBroken);
    };
    return {
      connection,
      release() {
        if (connection.givenUp === undefined) giveBack();
        else void connection.givenUp.then(giveBack);
      },
    };
  }

  /**
   * Runs `work` in one transaction, and again when that lost to another; whatever it throws rolls back. Statements
   * must go through the client it is given. `begin` as for `Connection.transaction`.
   */
  transaction<T>(work: (client: Transaction) => Promise<T>, begin?: string): Promise<T> {
    return this.connection((connection) =>
      this.#retryLostRaces(() => connection.transaction(() => work(connection), begin)),
    );
  }

  /** Waits for statements in flight, until the deadline where there is one, then lets go of all connections. */
  async close(deadline?: AbortSignal): Promise<void> {
    const ended = this.#pool.end();
    if (deadline?.aborted) return;
    const over = new Promise<void>((resolve) => deadline?.addEventListener('abort', () => resolve()));
    await Promise.race([ended, over]);
  }

  #retryLostRaces<T>(run: () => Promise<T>): Promise<T> {
    const started = performance.now();
    return retry(run, (error, attempt) => {
      const isOver = attempt > MAX_RETRIES || performance.now() - started > this.#timeoutMs;
      return isOver || !isLostRace(error) ? undefined : Math.random() * RETRY_PAUSE_MS * attempt;
    });
  }
}
