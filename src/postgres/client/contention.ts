import { retry, upTo } from '../../lib/async/retry.ts';
import { Contended } from '../../lib/errors.ts';
import { isLostLock, isLostRace, isUniqueViolation } from './pg-error.ts';

/** @throws {Contended} in place of what Postgres says where others write the same rows: the work may be tried again */
export async function tellContention<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw isUniqueViolation(error) || isLostRace(error) || isLostLock(error) ? new Contended(error) : error;
  }
}

/** Repeats the work while others write the same rows. @throws {Contended} when they still do after `maxAttempts` attempts */
export const retryContended = <T>(maxAttempts: number, work: () => Promise<T>): Promise<T> =>
  retry(
    () => tellContention(work),
    upTo(maxAttempts, (error) => error instanceof Contended),
  );
