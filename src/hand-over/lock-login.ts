import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../lib/errors.ts';
import type { HandOverStore } from './hand-over-store.ts';

/** Milliseconds for which a login is locked. Calls of the core under the lock must end within this time. */
export const LOCK_MS = 60_000;

const WAIT_MS = 10_000;
const LOOK_MS = 50;

/**
 * Locks a login, so that its password in the core is not changed twice at once. Waits for other holders.
 * @returns false if the login is no longer in state `waiting`
 * @throws {AppError} OVERLOADED if the lock stays held for too long
 */
export async function lockLogin(handOvers: HandOverStore, recipeUserId: string): Promise<boolean> {
  const deadline = performance.now() + WAIT_MS;
  while (!(await handOvers.lock(recipeUserId, LOCK_MS))) {
    if ((await handOvers.findLogin(recipeUserId))?.state !== 'waiting') return false;
    if (performance.now() > deadline)
      throw new AppError(
        'OVERLOADED',
        'Service is overloaded: another sign-in of this person takes too long',
      );
    await sleep(LOOK_MS);
  }
  return true;
}
