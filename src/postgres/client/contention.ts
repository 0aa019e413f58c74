import { retry, upTo } from '../../lib/async/retry.ts';
import { Contended } from '../../lib/errors.ts';
import { isLostLock, isLostRace, isUniqueViolation } from './pg-error.ts';

/**
 * Throws Contended instead of the errors that other writers of the same rows cause. `work` may then be
 * repeated.
 * @throws {Contended}
 */
export async function throwIfContended<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw isUniqueViolation(error) || isLostRace(error) || isLostLock(error) ? new Contended(error) : error;
  }
}

/** @throws {Contended} if all `maxAttempts` attempts have failed */
export const retryContended = <T>(maxAttempts: number, work: () => Promise<T>): Promise<T> =>
  retry(
    () => throwIfContended(work),
    upTo(maxAttempts, (error) => error instanceof Contended),
  );
