import pg from 'pg';
import { afterAll, expect } from 'vitest';
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '../../src/embedded-postgres/start-embedded-postgres.ts';
import { until } from '../../src/lib/async/until.ts';
import { type Client, importOf } from '../support/client.ts';
import { postmasterPid } from '../support/postmaster-pid.ts';
import { rowsOf } from '../support/rows-of.ts';
import { type Scratch, scratchDirectory } from '../support/scratch.ts';
import { IMPORT } from '../support/service-calls.ts';
import { portOf, TcpProxy } from '../support/tcp-proxy.ts';

/** Locks password_logins against writes, until `release` is called. */
export async function blockImports(
  uri: string,
): Promise<{ blocked(): Promise<number>; release(): Promise<void> }> {
  const client = new pg.Client(uri);
  // The test may stop Postgres while this client is connected.
  client.on('error', () => {});
  await client.connect();
  await client.query('begin');
  await client.query('lock table password_logins in exclusive mode');
  return {
    /** Returns how many statements wait for the lock. */
    async blocked() {
      // In a transaction, pg_stat_activity would keep its first snapshot.
      const { rowCount } = await client.query(
        `select from pg_locks where not granted and relation = 'password_logins'::regclass
           and database = (select oid from pg_database where datname = current_database())`,
      );
      return rowCount ?? 0;
    },
    release: () => client.end(),
  };
}

/** Waits for something that must happen. The limit is for machines that do much else at the same time. */
export async function waitUntil(condition: () => boolean | Promise<boolean>): Promise<void> {
  expect(await until(condition, 45_000)).toBe(true);
}

/** Waits for rows of a statement. All its runs share a connection, because a new one costs more than the statement. */
export async function waitForRows<Row extends pg.QueryResultRow>(
  uri: string,
  statement: string,
  isReached: (rows: Row[]) => boolean | Promise<boolean>,
): Promise<void> {
  const client = new pg.Client(uri);
  await client.connect();
  try {
    await waitUntil(async () => isReached((await client.query<Row>(statement)).rows));
  } finally {
    await client.end();
  }
}

/**
 * Checks that every acknowledged import is stored with its hash, and that every user has a login and every
 * login a user.
 */
export async function expectAllKept(uri: string, acknowledged: readonly number[]): Promise<void> {
  const logins = await rowsOf<{ email: string; password_hash: string }>(
    uri,
    'select email, password_hash from password_logins',
  );
  const hashes = new Map(logins.map((login) => [login.email, login.password_hash]));
  const lost = acknowledged.filter((index) => {
    const { email, passwordHash } = importOf(index);
    return hashes.get(email) !== passwordHash;
  });
  expect(lost).toEqual([]);
  const halves = await rowsOf(
    uri,
    `select from users u full join password_logins l using (user_id)
     where u.time_joined_ms is null or l.time_joined_ms is null`,
  );
  expect(halves).toEqual([]);
}

/** A PostgreSQL for the tests of one file, which may kill it. Services reach it by a port that stays the same. */
export class OwnPostgres {
  readonly #scratch: Scratch;
  readonly #proxy: TcpProxy;
  #postgres: EmbeddedPostgres;

  private constructor(scratch: Scratch, proxy: TcpProxy, postgres: EmbeddedPostgres) {
    this.#scratch = scratch;
    this.#proxy = proxy;
    this.#postgres = postgres;
  }

  static async start(): Promise<OwnPostgres> {
    const scratch = await scratchDirectory();
    const postgres = await startEmbeddedPostgres({ directory: scratch.path });
    return new OwnPostgres(scratch, await TcpProxy.listen(portOf(postgres.uri)), postgres);
  }

  /** Returns the URI of a database. */
  uri(database?: string): string {
    const uri = new URL(this.#postgres.uri);
    uri.port = String(this.#proxy.port);
    if (database !== undefined) uri.pathname = database;
    return uri.href;
  }

  /** Creates an empty database, and returns its URI. */
  async create(database: string): Promise<string> {
    await rowsOf(this.#postgres.uri, `create database ${database}`);
    return this.uri(database);
  }

  async kill(): Promise<void> {
    process.kill(await postmasterPid(this.#scratch.path), 'SIGKILL');
  }

  async startAgain(): Promise<void> {
    await this.#postgres.stop();
    this.#postgres = await startEmbeddedPostgres({ directory: this.#scratch.path });
    this.#proxy.target = portOf(this.#postgres.uri);
  }

  async close(): Promise<void> {
    await this.#proxy.close();
    await this.#postgres.stop();
    await this.#scratch.remove();
  }
}

/** Starts a PostgreSQL for all tests of a file, to be called before `useServices`. */
export async function useOwnPostgres(): Promise<OwnPostgres> {
  const postgres = await OwnPostgres.start();
  afterAll(() => postgres.close());
  return postgres;
}

/** Sends a call that waits for a lock. Resolves when it does. */
export async function sendWaiting(client: Client, uri: string) {
  const lock = await blockImports(uri);
  const reply = client.send('POST', IMPORT, importOf(1)).catch(() => 'dropped');
  await waitUntil(async () => (await lock.blocked()) > 0);
  return { reply, release: lock.release };
}
