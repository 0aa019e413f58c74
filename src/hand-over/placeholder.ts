import { createHmac, timingSafeEqual } from 'node:crypto';
import { AppError } from '../lib/errors.ts';

/** bcrypt cost of the placeholder: the default cost of the core, so that it takes as long as other passwords there. */
export const PLACEHOLDER_COST = 11;

/**
 * Returns the placeholder password, which all waiting users of a hand-over have in the core: 43 characters of
 * base64url, 256 bits. It is derived from a configured secret and not stored, so nobody can sign in with the content
 * of the database alone.
 */
export const placeholderPassword = (secret: string, handOverId: string): string =>
  createHmac('sha256', secret).update(`placeholder password of hand-over ${handOverId}`).digest('base64url');

/** Returns a value that differs for every secret and reveals nothing about the placeholder. */
export const secretCheck = (secret: string, handOverId: string): Buffer =>
  createHmac('sha256', secret).update(`check of hand-over ${handOverId}`).digest();

/**
 * Returns the placeholder password of a hand-over. Checks the secret, because with a wrong one every placeholder would
 * seem to be changed, and old hashes would be removed.
 * @throws {AppError} HAND_OVER_SECRET if the configured secret is missing or is not the one with which the hand-over
 * was started
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
