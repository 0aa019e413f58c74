import type { Decisions } from '../../imports/resolve/resolver.ts';
import type { StagedEntry } from '../../imports/staged/staged-payload.ts';
import type { Batch, NewUsers } from '../../imports/staged/staged-store.ts';
import { AppError, type ErrorCode } from '../../lib/errors.ts';
import type { Connection } from '../client/connection.ts';
import type { Database } from '../client/database.ts';
import { isUniqueViolation } from '../client/pg-error.ts';
import { type Claim, claimStaged, isAnyDue, NOW_MS, releaseClaim } from './claim-staged.ts';
import { writeTogether, writeUsers } from './write-users.ts';

export type Work = (users: readonly StagedEntry[]) => NewUsers;

/** Checks first on `db` whether any user waits, because imports may be using all connections of `bulkDb`. */
export async function processNext(db: Database, bulkDb: Database, work: Work): Promise<Batch | undefined> {
  if (!(await isAnyDue(db))) return undefined;
  return bulkDb.connection(async (connection) => {
    const claim = await claimStaged(connection);
    if (claim === undefined) return undefined;
    try {
      return { decisions: await writeTogether(connection, () => processClaim(connection, claim, work)) };
    } catch (error) {
      const isPassing = isPassingTrouble(error);
      // The claim is released on another connection, because this one may be broken. If this fails as well,
      // the claim expires.
      await releaseClaim(db, claim, { isPassing }).catch(() => {});
      return { error, isPassing };
    }
  });
}

/** A unique violation in all attempts does not pass: no writer creates the same users for that long. */
const isPassingTrouble = (error: unknown) =>
  error instanceof AppError && PASSING_CODES.includes(error.code) && !isUniqueViolation(error.cause);

const PASSING_CODES: readonly ErrorCode[] = ['STORAGE_UNAVAILABLE', 'OVERLOADED'];

interface ClaimedRow {
  id: string;
  user_form: string;
  hashes: StagedEntry['hashes'];
  factors: Buffer | null;
}

/**
 * Imports the staged users of a claim, except users whose claim has expired and users who were removed. The
 * rows are locked until the end, so no other worker can claim them. They leave the table in the transaction
 * that creates the users, so nobody is imported twice.
 */
async function processClaim(connection: Connection, { token, ids }: Claim, work: Work): Promise<Decisions> {
  const rows = await connection.query<ClaimedRow>(
    `select id, user_form, hashes, factors from staged_users
     where id = any ($1::uuid[]) and claimed_by = $2 order by id for update`,
    [ids, token],
  );
  const users = rows.map(({ id, user_form, hashes, factors }) => ({
    id,
    payload: user_form,
    hashes,
    factors: factors ?? undefined,
  }));
  const { decisions, failures } = await writeUsers(connection, work(users));
  const failed = rows.flatMap(({ id }, index) => {
    const message = failures[index];
    return message === undefined ? [] : [{ id, message }];
  });
  if (failed.length > 0) {
    await connection.query(
      `update staged_users set status = 'FAILED', error_message = failed.message, hashes = '[]', factors = null,
         claimed_by = null, claimed_until = null, updated_at_ms = ${NOW_MS}
       from unnest($1::uuid[], $2::text[]) as failed (id, message) where staged_users.id = failed.id`,
      [failed.map(({ id }) => id), failed.map(({ message }) => message)],
    );
  }
  await connection.query(
    "delete from staged_users where id = any ($1::uuid[]) and claimed_by = $2 and status = 'PROCESSING'",
    [rows.map(({ id }) => id), token],
  );
  return decisions;
}
