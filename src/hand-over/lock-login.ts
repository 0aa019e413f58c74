import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../lib/errors.ts';
import type { HandOverStore } from './hand-over-store.ts';

/** For how long one caller works on a login alone, in ms. Its calls of the core must be over by then. */
export const LOCK_MS = 60_000;

/** How long a caller waits for another one, and how often it looks, in ms. */
const WAIT_MS = 10_000;
const LOOK_MS = 50;

/**
 * Waits until nobody else works on the login.
 * @returns false if the login does not wait any more
 * @throws {AppError} OVERLOADED if that takes too long
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
