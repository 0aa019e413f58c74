import type { NewPasswordLogin, NewThirdPartyLogin } from '../../imports/resolve/write-set.ts';
import type { UserStore } from '../../users/user-store.ts';
import type { Queryable } from '../client/connection.ts';
import type { Database } from '../client/database.ts';
import type { UserRow } from './user-row.ts';
import type { KeptLogin, LeftLogin, NewLogin, WriteOptions } from './write-imported.ts';
import type { ExistingIdentity, NewSignIn } from './write-sign-ins.ts';

/** Logins that are each the only one of a new user, with all that is stored of it. */
export interface NewLogins {
  passwordLogins?: readonly NewPasswordLogin[];
  thirdPartyLogins?: readonly NewThirdPartyLogin[];
}

/** Creates users by COPY where all of them are expected to be new. */
export interface CopyNewLogins {
  /**
   * Creates all of these users. False: none, as one of them may be there already; the caller then writes them otherwise.
   * @param newLogins called only where COPY is tried
   */
  attempt(newLogins: () => NewLogins): Promise<boolean>;
  /** Says whether some of the logins that the caller then wrote were there already. */
  wrote(some: { wereKnown: boolean }): void;
}

/** Drops the store that a method of `UserStore` has, and takes the database instead. */
type OnDatabase<Method extends (...args: never[]) => unknown> = (
  db: Queryable,
  ...args: Parameters<Method>
) => ReturnType<Method>;

/** The parts of the user store that differ between one PostgreSQL and Citus. All other statements suit both. */
export interface UserQueries {
  /** Statement for the size of the table of password logins, as `bytes`. */
  readonly sizeOfPasswordLogins: string;
  listUsers: OnDatabase<UserStore['listUsers']>;
  countUsers: OnDatabase<UserStore['countUsers']>;
  findUsersByAccountInfo: OnDatabase<UserStore['findUsersByAccountInfo']>;
  /** Returns the rows of the users with these ids. Ids of nobody are left out. */
  readUserRows(db: Queryable, ids: readonly string[]): Promise<UserRow[]>;
  /**
   * Creates or overwrites logins, and returns the logins that existed already. A login is left as it is if the service has replaced
   * its imported hash, unless its fingerprint is in `replaceable`.
   */
  writeImported(db: Database, logins: readonly NewLogin[], options: WriteOptions): Promise<KeptLogin[]>;
  /** Reads the logins that `writeImported` left as they are. */
  readLeft(db: Queryable, emails: readonly string[]): Promise<LeftLogin[]>;
  /** Signs in to third-party logins or creates them, and returns the logins that existed already. */
  writeSignIns(db: Database, signIns: readonly NewSignIn[], now: number): Promise<ExistingIdentity[]>;
  createCopyNewLogins(db: Database): CopyNewLogins;
}
