import { createHmac, timingSafeEqual } from 'node:crypto';
import { AppError } from '../lib/errors.ts';

/** bcrypt cost of the placeholder: the default of the core, so that it takes as long as other passwords of the core. */
export const PLACEHOLDER_COST = 11;

/**
 * Returns the password that all waiting users of a hand-over have in the core: 43 characters of base64url, 256 bits. It
 * is derived from a configured secret and kept nowhere, so that the database alone does not sign anybody in.
 */
export const placeholderPassword = (secret: string, handOverId: string): string =>
  createHmac('sha256', secret).update(`placeholder password of hand-over ${handOverId}`).digest('base64url');

/** Returns a value that reveals nothing about the placeholder and differs for any other secret. */
export const secretCheck = (secret: string, handOverId: string): Buffer =>
  createHmac('sha256', secret).update(`check of hand-over ${handOverId}`).digest();

/**
 * Returns the placeholder password of a hand-over. With another secret every placeholder would seem to be changed, and
 * the old hashes would be thrown away.
 * @throws {AppError} HAND_OVER_SECRET if the configured secret is another one, or there is none
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
