import type pg from 'pg';
import type { ThirdPartyIdentity } from '../../users/user.ts';
import type { Queryable } from '../client/connection.ts';
import type { RowsToLock } from '../client/engine.ts';

/*
 * Rows of users and logins to lock. All transactions lock users before their logins, and several rows of a table in the
 * order of its key, one shard at a time.
 */

const OF_USERS = 'user_id = any ($1::uuid[])';

export const usersToLock = (columns: string, where = OF_USERS): RowsToLock => ({
  table: 'users',
  where,
  columns,
  key: 'user_id',
  noopColumn: 'time_joined_ms',
});

export const passwordLoginsToLock = (columns: string, where = OF_USERS): RowsToLock => ({
  table: 'password_logins',
  where,
  columns,
  key: 'email',
  noopColumn: 'linked',
});

export const thirdPartyLoginsToLock = (columns: string, where = OF_USERS): RowsToLock => ({
  table: 'third_party_logins',
  where,
  columns,
  key: 'third_party_user_id, third_party_id',
  noopColumn: 'linked',
});

/** $1: e-mail addresses. */
export const passwordLoginsByKey = (columns: string): RowsToLock => ({
  table: 'password_logins',
  where: 'email = any ($1)',
  columns,
  key: 'email',
  shard: '',
});

/** $1: ids of the third parties. $2: ids of the users at the third parties. */
export const thirdPartyLoginsByKey = (columns: string): RowsToLock => ({
  table: 'third_party_logins',
  with: 'unnest($1::text[], $2::text[]) as t (third_party_id, third_party_user_id)',
  where: 'login.third_party_id = t.third_party_id and login.third_party_user_id = t.third_party_user_id',
  columns,
  key: 'login.third_party_user_id, login.third_party_id',
  shard: 'login.third_party_user_id = any ($2)',
});

/** Locks and returns the logins of `passwordLoginsByKey`. Missing rows cannot be locked. */
export async function lockPasswordLogins<Row extends pg.QueryResultRow>(
  db: Queryable,
  rows: RowsToLock,
  emails: readonly string[],
): Promise<Row[]> {
  const found: Row[][] = [];
  for (const group of await db.engine.groupByShard(db, rows.table, emails, (email) => email))
    found.push(await db.engine.lockRows<Row>(db, rows, [group]));
  return found.flat();
}

/** Locks and returns the logins of `thirdPartyLoginsByKey`. Missing rows cannot be locked. */
export async function lockThirdPartyLogins<Row extends pg.QueryResultRow>(
  db: Queryable,
  rows: RowsToLock,
  identities: readonly ThirdPartyIdentity[],
): Promise<Row[]> {
  const found: Row[][] = [];
  for (const group of await db.engine.groupByShard(db, rows.table, identities, ({ userId }) => userId))
    found.push(await db.engine.lockRows<Row>(db, rows, identityValues(group)));
  return found.flat();
}

/** Returns the values for a statement of `thirdPartyLoginsByKey`. */
export const identityValues = (identities: readonly ThirdPartyIdentity[]): [string[], string[]] => [
  identities.map(({ id }) => id),
  identities.map(({ userId }) => userId),
];
