import type { NewUsers, ResolvedNewUsers } from '../../imports/staged/staged-store.ts';
import type { Connection } from '../client/connection.ts';
import { tooManyLosses } from '../client/pg-error.ts';
import { applyWriteSet } from '../imports/apply-write-set.ts';
import { readExistingLogins } from '../imports/read-existing-logins.ts';
import { BEGIN_BULK_SHORT_WAITS } from '../imports/transaction-settings.ts';
import { isWorthAnotherTry, MAX_ATTEMPTS } from '../imports/write-chunk.ts';

/**
 * Runs `work` in a transaction; and again, as a chunk of a stream does, when others wrote the same users meanwhile, or
 * hold them for longer than a moment. @throws {AppError} OVERLOADED when they still do after many tries
 */
export async function writeTogether<T>(connection: Connection, work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await connection.transaction(work, BEGIN_BULK_SHORT_WAITS);
    } catch (error) {
      if (!isWorthAnotherTry(error)) throw error;
      if (attempt >= MAX_ATTEMPTS) throw tooManyLosses(error);
    }
  }
}

/** Writes new users, within a transaction. They belong to no import on record. */
export async function writeUsers(connection: Connection, writing: NewUsers): Promise<ResolvedNewUsers> {
  const resolved = writing.resolve(await readExistingLogins(connection, writing.keys, { lock: false }));
  // Only what replaces something would be noted under an import.
  await applyWriteSet(connection, '', resolved.writeSet, { inKeyOrder: true });
  return resolved;
}
