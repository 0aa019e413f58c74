import { retry, upTo } from '../../lib/async/retry.ts';
import { Contended } from '../../lib/errors.ts';
import { isLostLock, isLostRace, isUniqueViolation } from './pg-error.ts';

/** @throws {Contended} if other transactions write the same rows; `work` may then be repeated */
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
