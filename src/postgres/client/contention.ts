import { retry, upTo } from '../../lib/async/retry.ts';
import { Contended } from '../../lib/errors.ts';
import { isLostLock, isLostRace, isUniqueViolation } from './pg-error.ts';

/**
 * Runs `work` in the database. Throws Contended instead of the errors that occur if other transactions write
 * the same rows. `work` may then be repeated.
 * @throws {Contended}
 */
export async function throwIfContended<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw isUniqueViolation(error) || isLostRace(error) || isLostLock(error) ? new Contended(error) : error;
  }
}

/**
 * Repeats `work` as long as it fails because other transactions write the same rows.
 * @throws {Contended} if all `maxAttempts` attempts have failed
 */
export const retryContended = <T>(maxAttempts: number, work: () => Promise<T>): Promise<T> =>
  retry(
    () => throwIfContended(work),
    upTo(maxAttempts, (error) => error instanceof Contended),
  );
