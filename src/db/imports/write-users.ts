import type { UserWriting, WritingPlan } from '../../imports/staged/store.ts';
import type { Connection } from '../connection.ts';
import { tooManyLosses } from '../pg-error.ts';
import { IMPATIENT_BEGIN } from './bulk-begin.ts';
import { readKnown } from './read-known.ts';
import { isWorthAnotherTry, MAX_ATTEMPTS } from './write-chunk.ts';
import { writePlan } from './write-plan.ts';

/**
 * Runs `work` in a transaction; and again, as a chunk of a stream does, when others wrote the same users meanwhile, or
 * hold them for longer than a moment. @throws {AppError} OVERLOADED when they still do after many tries
 */
export async function writeTogether<T>(connection: Connection, work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await connection.transaction(work, IMPATIENT_BEGIN);
    } catch (error) {
      if (!isWorthAnotherTry(error)) throw error;
      if (attempt >= MAX_ATTEMPTS) throw tooManyLosses(error);
    }
  }
}

/** Writes new users, within a transaction. They belong to no import on record. */
export async function writeUsers(connection: Connection, writing: UserWriting): Promise<WritingPlan> {
  const planned = writing.plan(await readKnown(connection, writing.keys, { lock: false }));
  // Only what replaces something would be noted under an import.
  await writePlan(connection, '', planned.plan, { inKeyOrder: true });
  return planned;
}
