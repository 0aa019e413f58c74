import { createHmac, timingSafeEqual } from 'node:crypto';
import { AppError } from '../lib/errors.ts';

/**
 * bcrypt cost of the placeholder password. It is the core's default, so that a sign-in with the placeholder
 * takes as long as with other passwords in the core.
 */
export const PLACEHOLDER_COST = 11;

/**
 * Returns the placeholder password, which all waiting users of a hand-over have in the core: 43 characters of
 * base64url, 256 bits. It is derived from a configured secret and not stored, so nobody can sign in with the
 * content of the database alone.
 */
const placeholderPassword = (secret: string, handOverId: string): string =>
  createHmac('sha256', secret).update(`placeholder password of hand-over ${handOverId}`).digest('base64url');

/**
 * Returns a digest for recognising the secret of a hand-over. It differs for every secret and reveals nothing
 * about the placeholder password.
 */
export const secretCheck = (secret: string, handOverId: string): Buffer =>
  createHmac('sha256', secret).update(`check of hand-over ${handOverId}`).digest();

/**
 * Returns the placeholder password of a hand-over. The secret is checked first: with a wrong one, the
 * password of every waiting user would seem to be changed, and old hashes would be removed.
 * @throws {AppError} HAND_OVER_SECRET if the configured secret is missing or is not the one with which the
 * hand-over was started
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
