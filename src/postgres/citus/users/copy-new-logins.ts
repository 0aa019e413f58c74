import type { Person } from '../../../imports/resolve/person.ts';
import type { Database } from '../../client/database.ts';
import { isLostRace, isUniqueViolation } from '../../client/pg-error.ts';
import { createPeople } from '../../imports/write-decisions.ts';
import type { CopyNewLogins } from '../../users/user-queries.ts';

/** Maximum number of writes for which COPY is not tried after it failed. A failure closes Citus's connections. */
const MOST_LEFT_OUT = 7;

/** COPY takes less time on Citus than statements that also handle existing users; not on one PostgreSQL. */
export function createCopyNewLogins(db: Database): CopyNewLogins {
  let [failures, leftOut] = [0, 0];
  const leaveOut = () => {
    leftOut = Math.min(2 ** failures - 1, MOST_LEFT_OUT);
  };
  return {
    async attempt(newPeople) {
      if (leftOut > 0) return false;
      const isDone = await copyNewLogins(db, newPeople());
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

/** Returns false and writes nothing if a user exists, or if other transactions write the same users. */
async function copyNewLogins(db: Database, people: readonly Person[]): Promise<boolean> {
  try {
    // An explicit transaction would need two more round trips, which take longer than writing the rows.
    await db.connection((connection) => createPeople(connection, people));
    return true;
  } catch (error) {
    if (isUniqueViolation(error) || isLostRace(error)) return false;
    throw error;
  }
}
