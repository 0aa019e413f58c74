import pg from 'pg';
import { storageError } from './pg-error.ts';

export interface PoolOptions {
  uri: string;
  /** Most connections held. */
  size: number;
  /** Longest a connection may take to be had, and a statement to answer, in ms. */
  timeoutMs: number;
  /** An idle connection broke: it is replaced when next needed, so this is for the log. */
  onIdleError(error: Error): void;
}

/** What can run a statement: the pool, or the one client of a transaction. */
export interface Queryable {
  /** @throws {AppError} STORAGE_UNAVAILABLE when the database cannot be reached; else what the driver threw */
  query<Row extends pg.QueryResultRow>(text: string, values?: readonly unknown[]): Promise<Row[]>;
}

/** Connections to Postgres. Statements are unnamed and sessions carry no state, so a transaction-mode pooler may sit between. */
export class Database implements Queryable {
  readonly #pool: pg.Pool;

  constructor(options: PoolOptions) {
    this.#pool = new pg.Pool({
      connectionString: options.uri,
      max: options.size,
      connectionTimeoutMillis: Math.min(5000, options.timeoutMs),
      // The client's own timer, not the statement_timeout parameter, which poolers refuse at connect.
      query_timeout: options.timeoutMs,
      keepAlive: true,
      application_name: 'user-import-core',
    });
    this.#pool.on('error', options.onIdleError);
  }

  async query<Row extends pg.QueryResultRow>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    try {
      return (await this.#pool.query<Row>(text, values as unknown[])).rows;
    } catch (error) {
      throw storageError(error);
    }
  }

  /** Runs `work` in one transaction; whatever it throws rolls back. Statements must go through the client it is given. */
  async transaction<T>(work: (client: Queryable) => Promise<T>): Promise<T> {
    const client = await this.#pool.connect().catch((error: unknown) => {
      throw storageError(error);
    });
    let broken = true;
    try {
      await client.query('begin');
      const result = await work({
        query: async <Row extends pg.QueryResultRow>(text: string, values: readonly unknown[] = []) =>
          (await client.query<Row>(text, values as unknown[])).rows,
      });
      await client.query('commit');
      broken = false;
      return result;
    } catch (error) {
      broken = await client.query('rollback').then(
        () => false,
        () => true,
      );
      throw storageError(error);
    } finally {
      client.release(broken);
    }
  }

  /** Waits for statements in flight, then closes all connections. */
  async close(): Promise<void> {
    await this.#pool.end();
  }
}
