import type { NewPasswordLogin, NewThirdPartyLogin } from '../../../imports/resolve/write-set.ts';
import type { Transaction } from '../../client/connection.ts';
import { retryContended } from '../../client/contention.ts';
import type { Database } from '../../client/database.ts';
import { isLostRace, isUniqueViolation } from '../../client/pg-error.ts';
import { insertSorted } from '../../imports/apply-write-set.ts';

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

/**
 * Most calls in a row without a known user that are waited for before COPY is tried again. A COPY in vain costs more than the statements
 * do, as Citus drops its connections to the nodes.
 */
const MOST_LEFT_OUT = 7;

/**
 * Creates users by COPY, which several nodes take in less than the time of the statements that also know what to do with those who
 * are there. One Postgres does not: it is the same to it.
 */
export function createCopyNewLogins(db: Database): CopyNewLogins {
  let [failures, leftOut] = [0, 0];
  const leaveOut = () => {
    leftOut = Math.min(2 ** failures - 1, MOST_LEFT_OUT);
  };
  return {
    async attempt(newLogins) {
      if (db.engine !== 'citus' || leftOut > 0) return false;
      const isDone = await copyNewLogins(db, newLogins());
      failures = isDone ? 0 : failures + 1;
      leaveOut();
      return isDone;
    },
    wrote({ wereKnown }) {
      if (wereKnown) leaveOut();
      else leftOut = Math.max(0, leftOut - 1);
    },
  };
}

/** Writes nothing where it returns false: one of the users is there, or others write the same ones. */
async function copyNewLogins(db: Database, newLogins: NewLogins): Promise<boolean> {
  try {
    // Begin and commit would be two exchanges more, which take longer than the rows.
    await db.connection((connection) => copyNewUsers(connection, newLogins));
    return true;
  } catch (error) {
    if (isUniqueViolation(error) || isLostRace(error)) return false;
    throw error;
  }
}

/** Creates these users, none of which may be there. @throws a unique violation where one is */
export async function copyNewUsers(
  connection: Transaction,
  { passwordLogins = [], thirdPartyLogins = [] }: NewLogins,
): Promise<void> {
  const users = [...passwordLogins, ...thirdPartyLogins].map(({ userId, timeJoinedMs }) => ({
    userId,
    timeJoinedMs,
    metadata: undefined,
  }));
  await insertSorted(connection, {
    users,
    passwordLogins: [...passwordLogins],
    thirdPartyLogins: [...thirdPartyLogins],
    aliases: [],
  });
}

/** Attempts to write logins that others create between a look and the write. Each attempt finds those of the one before. */
const MAX_ATTEMPTS = 10;

/** Does the work again where another has created a login that it was about to create. @throws {Contended} when others always do */
export const retryWhereCreated = <T>(work: () => Promise<T>): Promise<T> =>
  retryContended(MAX_ATTEMPTS, work);
