import { createHmac, timingSafeEqual } from 'node:crypto';
import { AppError } from '../lib/errors.ts';

/** The core's default bcrypt cost, so that a placeholder takes as long to verify as other passwords. */
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
 * The secret is checked first: with a wrong one, the password of every waiting user would seem to be changed,
 * and old hashes would be removed.
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
