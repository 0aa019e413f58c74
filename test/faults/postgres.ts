import pg from 'pg';
import { expect } from 'vitest';
import { until } from '../../src/lib/async/until.ts';
import { importOf } from '../support/client.ts';
import { rowsOf } from '../support/rows-of.ts';

/** Holds password_logins so that nobody else can write to it, until it is let go. */
export async function blockImports(
  uri: string,
): Promise<{ blocked(): Promise<number>; release(): Promise<void> }> {
  const client = new pg.Client(uri);
  // Postgres may be stopped under it.
  client.on('error', () => {});
  await client.connect();
  await client.query('begin');
  await client.query('lock table password_logins in exclusive mode');
  return {
    /** Statements that wait for it. */
    async blocked() {
      // Not pg_stat_activity, which a transaction sees as it was at first.
      const { rowCount } = await client.query(
        `select from pg_locks where not granted and relation = 'password_logins'::regclass
           and database = (select oid from pg_database where datname = current_database())`,
      );
      return rowCount ?? 0;
    },
    release: () => client.end(),
  };
}

export async function waitUntil(condition: () => boolean | Promise<boolean>): Promise<void> {
  expect(await until(condition, 10_000)).toBe(true);
}

/** Every acknowledged import is there with its hash, and no user is without login or the other way round. */
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
