import { createHmac, timingSafeEqual } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../lib/errors.ts';
import type { HandOverStore } from './hand-over-store.ts';

/** Milliseconds for which a login is locked. Calls of the core under the lock must end within this time. */
export const LOCK_MS = 60_000;

const WAIT_MS = 10_000;
const LOOK_MS = 50;

/**
 * Locks a login, so that no two calls change its password in the core at once. Waits while another call holds the lock.
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

/** Default bcrypt cost of the core, so that the placeholder password takes as long to verify as other passwords. */
export const PLACEHOLDER_COST = 11;

/**
 * Password that all waiting users of a hand-over have in the core. It is derived from a configured secret and
 * not stored, so nobody can sign in with the content of the database alone.
 */
const placeholderPassword = (secret: string, handOverId: string): string =>
  createHmac('sha256', secret).update(`placeholder password of hand-over ${handOverId}`).digest('base64url');

/** Digest that recognises the secret of a hand-over, and reveals nothing about the placeholder password. */
export const secretCheck = (secret: string, handOverId: string): Buffer =>
  createHmac('sha256', secret).update(`check of hand-over ${handOverId}`).digest();

/**
 * Returns the placeholder password of a hand-over. The secret is checked first, because with a wrong secret the
 * password of every waiting user would seem to be changed, and the old hashes would be removed.
 * @throws {AppError} HAND_OVER_SECRET if the secret is missing, or the hand-over was started with another one
 */
export function placeholderOf(
  secret: string | undefined,
  handOver: { handOverId: string; secretCheck: Buffer },
): string {
  const { handOverId } = handOver;
  if (secret === undefined || !timingSafeEqual(secretCheck(secret, handOverId), handOver.secretCheck)) {
    throw new AppError(
      'HAND_OVER_SECRET',
      `hand_over_secret is not the one that hand-over ${handOverId} was started with`,
    );
  }
  return placeholderPassword(secret, handOverId);
}
