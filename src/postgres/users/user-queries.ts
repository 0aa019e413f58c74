import type { Person } from '../../imports/resolve/person.ts';
import type { UserStore } from '../../users/user-store.ts';
import type { Queryable } from '../client/connection.ts';
import type { Database } from '../client/database.ts';
import type { UserRow } from './user-row.ts';
import type { KeptLogin, LeftLogin, NewLogin, WriteOptions } from './write-imported.ts';
import type { ExistingIdentity, NewSignIn } from './write-sign-ins.ts';

/** Creates users by COPY, if recent calls suggest that all of them are new. */
export interface CopyNewLogins {
  /** Returns false and creates none if COPY was not tried, or failed. `people` is called only for COPY. */
  attempt(people: () => readonly Person[]): Promise<boolean>;
  /** Call it after writing logins without COPY, so that `attempt` learns whether users tend to be new. */
  wrote(some: { wereKnown: boolean }): void;
}

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
  /**
   * Returns the logins that existed before. A login whose imported hash this service has replaced stays as it
   * is, unless its fingerprint is in `replaceable`.
   * @throws {LoginsInCore} if the SuperTokens core has the passwords of existing logins
   */
  writeImported(db: Database, logins: readonly NewLogin[], options: WriteOptions): Promise<KeptLogin[]>;
  /** Reads the logins that `writeImported` has left as they are. */
  readLeft(db: Queryable, emails: readonly string[]): Promise<LeftLogin[]>;
  writeSignIns(db: Database, signIns: readonly NewSignIn[], now: number): Promise<ExistingIdentity[]>;
  createCopyNewLogins(db: Database): CopyNewLogins;
}
