import type { IncomingLogin } from '../../users/user-store.ts';
import type { Copy } from '../client/copy-in.ts';
import type { Database } from '../client/database.ts';
import { isLostRace, isUniqueViolation } from '../client/pg-error.ts';
import { COPY_TARGETS, type CopyTarget } from '../imports/user-columns.ts';

/** A login with the id that its user would get. */
export interface NewLogin {
  login: IncomingLogin;
  id: string;
}

/** Creates all of these users. False: none, as one of them may be there already. */
export type CopyNewLogins = (logins: readonly NewLogin[], timeJoinedMs: number) => Promise<boolean>;

/** After a failure so many calls at most are answered with false at once: where one user is there already, others are, too. */
const MOST_LEFT_OUT = 63;

/**
 * Creates users by COPY, which several nodes take in less than the time of the statement that also knows what to do with those who
 * are there. One Postgres does not: it is the same to it.
 */
export function createCopyNewLogins(db: Database): CopyNewLogins {
  let [failures, leftOut] = [0, 0];
  return async (logins, timeJoinedMs) => {
    if (db.engine !== 'citus') return false;
    if (leftOut > 0) {
      leftOut -= 1;
      return false;
    }
    const isDone = await copyNewLogins(db, logins, timeJoinedMs);
    failures = isDone ? 0 : failures + 1;
    leftOut = Math.min(2 ** failures - 1, MOST_LEFT_OUT);
    return isDone;
  };
}

/** Writes nothing where it returns false: one of the users is there, or others write the same ones. */
async function copyNewLogins(
  db: Database,
  logins: readonly NewLogin[],
  timeJoinedMs: number,
): Promise<boolean> {
  const rows = logins
    .map(({ login: { email, hash }, id: userId }) => ({
      userId,
      recipeUserId: userId,
      email,
      hash,
      hashSetBy: 'import' as const,
      timeJoinedMs,
      hasMore: false,
      verifiedEmails: [],
    }))
    .toSorted((a, b) => (a.email < b.email ? -1 : 1));
  const users = rows.map(({ userId }) => ({ userId, timeJoinedMs, metadata: undefined }));
  const copies = [copyOf(COPY_TARGETS.passwordLogins, rows), copyOf(COPY_TARGETS.users, users)];
  try {
    await db.connection((connection) => connection.transaction(() => connection.copy(copies)));
    return true;
  } catch (error) {
    if (isUniqueViolation(error) || isLostRace(error)) return false;
    throw error;
  }
}

const copyOf = <Row>({ statement, encode }: CopyTarget<Row>, rows: readonly Row[]): Copy => ({
  statement,
  rows: Buffer.from(rows.map(encode).join('')),
  count: rows.length,
});
