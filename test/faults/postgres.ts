import pg from 'pg';
import { expect } from 'vitest';
import { until } from '../../src/lib/async/until.ts';
import { importOf } from '../support/client.ts';
import { rowsOf } from '../support/rows-of.ts';

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
