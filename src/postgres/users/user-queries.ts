import type { UserStore } from '../../users/user-store.ts';
import type { Queryable } from '../client/connection.ts';
import type { Database } from '../client/database.ts';
import type { UserRow } from './user-row.ts';
import type { ExistingIdentity, NewSignIn } from './write-sign-ins.ts';

type OnDatabase<Method extends (...args: never[]) => unknown> = (
  db: Queryable,
  ...args: Parameters<Method>
) => ReturnType<Method>;

/** Methods of the user store that differ between one PostgreSQL and Citus. All other statements suit both. */
export interface UserQueries {
  readonly sizeOfPasswordLogins: string;
  listUsers: OnDatabase<UserStore['listUsers']>;
  countUsers: OnDatabase<UserStore['countUsers']>;
  searchUsers: OnDatabase<UserStore['searchUsers']>;
  findUsersByAccountInfo: OnDatabase<UserStore['findUsersByAccountInfo']>;
  /** Unknown ids are left out. */
  readUserRows(db: Queryable, ids: readonly string[]): Promise<UserRow[]>;
  writeSignIns(db: Database, signIns: readonly NewSignIn[], now: number): Promise<ExistingIdentity[]>;
}
