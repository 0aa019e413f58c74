import { AppError } from '../../lib/errors.ts';
import type { User } from '../../users/user.ts';
import type { Queryable } from '../client/connection.ts';
import { queriesOf } from './queries-of.ts';
import { isThere, toUser } from './user-row.ts';

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
