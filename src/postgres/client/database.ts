import pg from 'pg';
import { retry } from '../../lib/async/retry.ts';
import { AppError } from '../../lib/errors.ts';
import { Connection, type Queryable, type Transaction } from './connection.ts';
import { type Engine, ONE_POSTGRES } from './engine.ts';
import { isLostRace, storageError } from './pg-error.ts';

/** Maximum number of calls that may wait for a database connection. Limits the memory of these calls. */
const MAX_WAITING = 10_000;

/**
 * Maximum number of times that a statement runs again after it lost a race with another transaction, within
 * its time limit. One PostgreSQL needs few. Citus needs more: it ends the youngest transaction of a deadlock,
 * and a repeated transaction is the youngest again.
 */
const MAX_RETRIES = 10;

/**
 * Maximum milliseconds before the first repetition of a statement; later pauses are longer. The pause is
 * random, so that two conflicting calls do not run again together.
 */
const RETRY_PAUSE_MS = 10;

/** Value of `application_name` by which `pg_stat_activity` shows the service's connections. */
export const APPLICATION_NAME = 'user-import-core';

export interface PoolOptions {
  uri: string;
  /** Maximum number of connections. */
  size: number;
  /** Maximum milliseconds that a statement may take. After this time, it is cancelled. */
  timeoutMs: number;
  /** Maximum milliseconds to wait for a connection of the pool. Defaults to 5 s. */
  connectTimeoutMs?: number;
  /**
   * Called for the log when an idle database connection breaks. A new connection replaces it when one is
   * needed.
   */
  onIdleError(error: Error): void;
}

/**
 * Connection pool of the database. Statements are unnamed and sessions have no state, so that a pooler in
 * transaction mode may be in front of the database.
 */
export class Database implements Queryable {
  readonly #pool: pg.Pool;
  readonly #timeoutMs: number;
  readonly #onIdleError: PoolOptions['onIdleError'];
  /**
   * Engine of the database. The service detects it at start; until then it is assumed to be one PostgreSQL.
   */
  engine: Engine = ONE_POSTGRES;

  constructor(options: PoolOptions) {
    // The time limit of statements is not set as statement_timeout, because poolers refuse this parameter
    // when a client connects.
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
    // Ignores errors of connections in use, which would otherwise end the process. Their users notice them,
    // because the next statement fails.
    this.#pool.on('connect', (client) => client.on('error', () => {}));
  }

  /** Returns the numbers of connections in the pool, of idle ones, and of calls that wait for one. */
  poolCounts(): { total: number; idle: number; waiting: number; max: number } {
    const { totalCount, idleCount, waitingCount, options } = this.#pool;
    return { total: totalCount, idle: idleCount, waiting: waitingCount, max: options.max };
  }

  /** Returns how many more connections can be lent without waiting for one. */
  get spareConnections(): number {
    const { total, idle, waiting, max } = this.poolCounts();
    return max - (total - idle) - waiting;
  }

  async query<Row extends pg.QueryResultRow>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    return this.#retryLostRaces(() => this.connection((connection) => connection.query<Row>(text, values)));
  }

  /**
   * Refuses a call if too many calls wait for a database connection. Otherwise it would fail later with the
   * misleading error that the database does not answer.
   */
  #refuseWhenFlooded(): void {
    if (this.#pool.waitingCount < MAX_WAITING) return;
    throw new AppError('OVERLOADED', 'Service is overloaded: too many calls wait for a database connection');
  }

  /** Runs `work` with a connection of the pool. */
  async connection<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    const { connection, release } = await this.#lend();
    try {
      return await work(connection);
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
    // pg listens for errors of idle connections only. An error of a connection in use would end the process
    // without this listener.
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
   * Runs `work` in one transaction, and repeats it if it lost a race with another transaction. Any exception
   * rolls back. `work` must run its statements with the client that it receives. `begin` is as for
   * `Connection.transaction`.
   */
  transaction<T>(work: (client: Transaction) => Promise<T>, begin?: string): Promise<T> {
    return this.connection((connection) =>
      this.#retryLostRaces(() => connection.transaction(() => work(connection), begin)),
    );
  }

  /** Waits for running statements, at most until the deadline. Then closes all database connections. */
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
