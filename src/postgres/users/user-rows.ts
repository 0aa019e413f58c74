import { AppError } from '../../lib/errors.ts';
import type { User } from '../../users/user.ts';
import { CITUS_QUERIES } from '../citus/users/citus-queries.ts';
import type { Queryable } from '../client/connection.ts';
import type { Engine } from '../client/engine.ts';
import {
  countUsers,
  listUsers,
  readFound,
  type UserQueries,
  usersToFind,
  usersWithAccountInfo,
} from './user-pages.ts';
import { isThere, readUserRows, toUser } from './user-row.ts';
import { writeSignIns } from './write-sign-ins.ts';

const ONE_POSTGRES_QUERIES: UserQueries = {
  sizeOfPasswordLogins: "select pg_relation_size('password_logins') as bytes",
  listUsers,
  countUsers,
  searchUsers: (db, search) => readFound(db, usersToFind(search), search),
  findUsersByAccountInfo: (db, info, match, limit) =>
    readFound(db, usersWithAccountInfo(info, match, limit), { order: 'asc', limit }),
  readUserRows,
  writeSignIns,
};

const QUERIES: Record<Engine['name'], UserQueries> = {
  postgres: ONE_POSTGRES_QUERIES,
  citus: CITUS_QUERIES, // Citus
};

export const queriesOf = (db: Queryable): UserQueries => QUERIES[db.engine.name];

type Id = string;

/** Unknown ids are left out. */
export async function readUsers(db: Queryable, ids: readonly Id[]): Promise<Map<Id, User>> {
  if (ids.length === 0) return new Map();
  const users = (await queriesOf(db).readUserRows(db, ids)).map(toUser).filter(isThere);
  return new Map(users.map((user) => [user.id, user]));
}

/** Reads users for calls that have committed and must not fail. Returns undefined if the database fails. */
export async function readUsersIfPossible(
  db: Queryable,
  ids: readonly Id[],
): Promise<Map<Id, User> | undefined> {
  try {
    return await readUsers(db, ids);
  } catch (error) {
    if (error instanceof AppError) return undefined;
    throw error;
  }
}
