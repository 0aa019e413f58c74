import type { Writable } from 'node:stream';
import pg from 'pg';
import { type Copy, CopyIn } from './copy-in.ts';
import { CopyOut, type RewriteRow } from './copy-out.ts';
import type { Engine, Sender } from './engine.ts';
import { isUnavailable, storageError } from './pg-error.ts';

// Members of the driver `pg` that its types lack.
declare module 'pg' {
  interface Client {
    /** Process id of the database session, as reported by PostgreSQL or by the pooler in front of it. */
    readonly processID: number | null;
    readonly secretKey: number | null;
    readonly sslNegotiation: string;
  }
  interface ClientConfig {
    sslNegotiation?: string;
  }
  interface Query {
    prepare(connection: Connection): void;
  }
  interface Connection {
    connect(portOrPath: number | string, host?: string): void;
    requestSsl(): void;
    cancel(processID: number, secretKey: number): void;
    unref(): void;
  }
}

/** Short, because the caller of the cancelled statement has already got an error and waits no longer. */
const TIMEOUT_MS = 2000;

/**
 * Asks PostgreSQL to cancel the running statement of this client. A pooler recognises the statement only
 * while the client stays connected. Resolves also if the request has failed. Source:
 * https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-CANCELING-REQUESTS
 */
export function cancelStatement(client: pg.Client): Promise<void> {
  const { host, port, ssl, sslNegotiation, processID, secretKey } = client;
  if (processID === null || secretKey === null) return Promise.resolve();
  return new Promise((resolve) => {
    const request = new pg.Connection({ ssl, sslNegotiation });
    const end = () => {
      clearTimeout(timer);
      request.stream.destroy();
      resolve();
    };
    const timer = setTimeout(end, TIMEOUT_MS);
    timer.unref();
    request.on('error', end);
    // PostgreSQL does not answer a request to cancel, but closes the connection.
    request.on('end', end);
    request.on('connect', () => {
      if (!ssl) request.cancel(processID, secretKey);
      else if (sslNegotiation !== 'direct') request.requestSsl();
    });
    request.on('sslconnect', () => {
      request.unref();
      request.cancel(processID, secretKey);
    });
    if (host.startsWith('/')) request.connect(`${host}/.s.PGSQL.${port}`);
    else request.connect(port, host);
    request.unref();
  });
}

/** Runs SQL statements: a connection pool, or the one connection of a transaction. */
export interface Queryable extends Sender {
  readonly engine: Engine;
  /** @throws {AppError} STORAGE_UNAVAILABLE if the database cannot be reached; else the driver's error */
  query<Row extends pg.QueryResultRow>(text: string, values?: readonly unknown[]): Promise<Row[]>;
}

export interface Transaction extends Queryable {
  /** @param timeoutMs time limit in milliseconds. Defaults to that of the database */
  query<Row extends pg.QueryResultRow>(
    text: string,
    values?: readonly unknown[],
    timeoutMs?: number,
  ): Promise<Row[]>;
  copy(copies: readonly Copy[]): Promise<void>;
}

/** Database connection that is lent to one task at a time. */
export class Connection implements Transaction {
  readonly #client: pg.PoolClient;
  readonly #timeoutMs: number;
  readonly engine: Engine;
  /** Whether the connection is in an unknown state. If so, the pool must not lend it again. */
  isBroken = false;
  /**
   * Whether a statement is running. If the connection breaks then, the statement fails, and no other listener is
   * needed.
   */
  isBusy = false;
  /** Request to cancel a late statement. The client must stay connected until the request has been sent. */
  givenUp: Promise<void> | undefined;
  /** Statements that begin the transaction, until they are sent with its first statement. */
  #begin: string | undefined;

  constructor(client: pg.PoolClient, { timeoutMs, engine }: { timeoutMs: number; engine: Engine }) {
    this.#client = client;
    this.#timeoutMs = timeoutMs;
    this.engine = engine;
  }

  async query<Row extends pg.QueryResultRow>(
    text: string,
    values: readonly unknown[] = [],
    timeoutMs = this.#timeoutMs,
  ): Promise<Row[]> {
    if (values.length === 0 || this.engine.splitsMessages) await this.#sendBegin();
    const begin = this.#takeBegin();
    const result = await this.#answer(() => {
      // Without values, the driver `pg` permits several statements in one text.
      if (values.length === 0) return this.#client.query<Row>(text);
      const parameters = values.map(parameterOf);
      if (begin.length === 0) return this.#client.query<Row>(text, parameters);
      return queryAfter<Row>(this.#client, begin, text, parameters);
    }, timeoutMs);
    return result.rows;
  }

  /**
   * Runs several COPY statements in one round trip. Outside of a transaction, either all of them take effect
   * or none. After the promise resolves, the memory of the rows may be reused. After it rejects, the memory
   * must not be reused.
   * @throws {Error} if PostgreSQL read another number of rows than was sent, because the memory was
   * overwritten meanwhile
   */
  async copy(copies: readonly Copy[]): Promise<void> {
    if (copies.length === 0) return;
    if (this.engine.splitsMessages) await this.#sendBegin();
    const begin = this.#takeBegin();
    const counts = await this.#answer(async () => {
      try {
        return await this.#client.query(new CopyIn(begin, copies)).done;
      } catch (error) {
        // The COPY was not sent completely, so the next statement on this connection would never be answered.
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
   * Runs `work` in one transaction. `work` must run one statement at a time; any exception rolls back.
   * `begin` may also set an isolation level, or settings that end with the transaction.
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
      // A rollback would wait for the statement that is being cancelled. Closing the connection rolls back,
      // too.
      if (this.givenUp !== undefined) throw error;
      this.isBroken = await this.query('rollback').then(
        () => false,
        () => true,
      );
      throw error;
    }
  }

  /**
   * Runs a statement `copy … to stdout (format binary)` of a transaction, with one column of text. Returns
   * the number of rows after all were passed on as lines. There is no time limit.
   */
  async copyOut(
    statement: string,
    { to, rewrite, signal }: { to: Writable; rewrite: RewriteRow; signal: AbortSignal },
  ): Promise<number> {
    signal.throwIfAborted();
    await this.#sendBegin();
    const copy = new CopyOut(statement, to, rewrite);
    const stop = () => copy.drop(signal.reason);
    signal.addEventListener('abort', stop);
    this.isBusy = true;
    try {
      this.#client.query(copy);
      return await copy.done;
    } catch (error) {
      this.engine.normaliseError(error);
      throw storageError(error);
    } finally {
      signal.removeEventListener('abort', stop);
      this.isBusy = false;
      if (!copy.isOver) this.givenUp ??= cancelStatement(this.#client);
    }
  }

  /** Sends a statement and waits for the result. If it takes too long, cancels it and discards the connection. */
  async #answer<T>(send: () => Promise<T>, timeoutMs = this.#timeoutMs): Promise<T> {
    let timer: NodeJS.Timeout | undefined;
    try {
      if (this.givenUp !== undefined) throw new Error('an earlier statement was not answered in time');
      this.isBusy = true;
      const late = new Promise<never>((_, reject) => {
        timer = setTimeout(() => {
          this.givenUp = cancelStatement(this.#client);
          reject(new Error(`a statement was not answered within ${timeoutMs} ms`));
        }, timeoutMs);
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
    const begin = this.#begin?.split('; ') ?? [];
    this.#begin = undefined;
    return begin;
  }

  async #sendBegin(): Promise<void> {
    const begin = this.#takeBegin();
    if (begin.length === 0) return;
    for (const message of this.engine.splitsMessages ? begin : [begin.join('; ')]) await this.query(message);
  }
}

/** Encodes arrays of texts and numbers, twice as fast as the driver. The driver encodes all other values. */
const parameterOf = (value: unknown): unknown =>
  Array.isArray(value) && value.every(isPlain) ? arrayText(value) : value;

const isPlain = (item: unknown) => typeof item === 'string' || typeof item === 'number' || item === null;

const SPECIAL = /["\\]/;

/** Returns an array in PostgreSQL's text format. */
function arrayText(items: readonly (string | number | null)[]): string {
  let text = '';
  for (const item of items) {
    text += text === '' ? '{' : ',';
    if (typeof item !== 'string') text += item ?? 'NULL';
    else text += SPECIAL.test(item) ? `"${item.replaceAll(/["\\]/g, '\\$&')}"` : `"${item}"`;
  }
  return text === '' ? '{}' : `${text}}`;
}

/** Sends statements and a query with values in one round trip. If a statement fails, PostgreSQL ignores what follows it. */
function queryAfter<Row extends pg.QueryResultRow>(
  client: pg.PoolClient,
  statements: readonly string[],
  text: string,
  values: unknown[],
): Promise<pg.QueryResult<Row>> {
  return new Promise((resolve, reject) => {
    const query = new QueryAfter(text, values, (error, result) => {
      if (error) reject(error);
      // The driver gives a list if there was more than one statement.
      else resolve([result].flat().at(-1) as pg.QueryResult<Row>);
    });
    query.statements = statements;
    client.query(query);
  });
}

/** Query of the driver, which sends all messages of one query together. */
class QueryAfter extends pg.Query {
  statements: readonly string[] = [];

  override prepare(connection: pg.Connection): void {
    for (const text of this.statements) {
      connection.parse({ name: '', text, types: [] }, true);
      connection.bind({}, true);
      connection.execute({}, true);
    }
    super.prepare(connection);
  }
}
