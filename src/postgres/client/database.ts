import pg from 'pg';
import { retry } from '../../lib/async/until.ts';
import { AppError } from '../../lib/errors.ts';
import { Connection, type Queryable, type Transaction } from './connection.ts';
import { type Engine, ONE_POSTGRES } from './engine.ts';
import { isLostRace, storageError } from './pg-error.ts';

/** Maximum number of calls that may wait for a database connection. Limits their memory. */
const MAX_WAITING = 10_000;

/**
 * Maximum number of repetitions after a lost race. One PostgreSQL needs few. Citus needs more: it ends the youngest
 * transaction of a deadlock, and a repeated transaction is the youngest again.
 */
const MAX_RETRIES = 10;

/**
 * Maximum milliseconds of the first pause; later pauses may be longer. Pauses are random, so that two calls do not
 * conflict again.
 */
const RETRY_PAUSE_MS = 10;

export const APPLICATION_NAME = 'user-import-core';

export interface PoolOptions {
  uri: string;
  size: number;
  /** Maximum milliseconds of a statement, after which it is cancelled. */
  timeoutMs: number;
  /** Maximum milliseconds to wait for a connection of the pool. Defaults to 5 s. */
  connectTimeoutMs?: number;
  /** Called for the log when an idle database connection breaks. */
  onIdleError(error: Error): void;
}

/**
 * Pool of database connections. Uses unnamed statements and no session state, so that it also works behind a pooler in
 * transaction mode.
 */
export class Database implements Queryable {
  readonly #pool: pg.Pool;
  readonly #timeoutMs: number;
  readonly #onIdleError: PoolOptions['onIdleError'];
  /** Detected at start; until then, one PostgreSQL is assumed. */
  engine: Engine = ONE_POSTGRES;

  constructor(options: PoolOptions) {
    // statement_timeout is not used, because poolers refuse this parameter when a client connects.
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
    // Errors of connections in use would otherwise end the process. Whoever uses such a connection notices the error,
    // because the next statement fails.
    this.#pool.on('connect', (client) => client.on('error', () => {}));
  }

  /** `waiting` counts the calls that wait for a connection. */
  poolCounts(): { total: number; idle: number; waiting: number; max: number } {
    const { totalCount, idleCount, waitingCount, options } = this.#pool;
    return { total: totalCount, idle: idleCount, waiting: waitingCount, max: options.max };
  }

  get spareConnections(): number {
    const { total, idle, waiting, max } = this.poolCounts();
    return max - (total - idle) - waiting;
  }

  async query<Row extends pg.QueryResultRow>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    return this.#retryLostRaces(() => this.connection((connection) => connection.query<Row>(text, values)));
  }

  async connection<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    // If such a call waited, it would fail later with the misleading error that the database does not answer.
    if (this.#pool.waitingCount >= MAX_WAITING)
      throw new AppError(
        'OVERLOADED',
        'Service is overloaded: too many calls wait for a database connection',
      );
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
    try {
      return await work(connection);
    } finally {
      if (connection.givenUp === undefined) giveBack();
      else void connection.givenUp.then(giveBack);
    }
  }

  /**
   * Runs `work` in one transaction, and repeats it if it lost a race with another transaction. Any exception
   * rolls back. `work` must use the client that it receives. `begin` is as for `Connection.transaction`.
   */
  transaction<T>(work: (client: Transaction) => Promise<T>, begin?: string): Promise<T> {
    return this.connection((connection) =>
      this.#retryLostRaces(() => connection.transaction(() => work(connection), begin)),
    );
  }

  /** Closes all database connections after the running statements, or at the deadline. */
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
