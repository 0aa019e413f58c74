import { AppError } from '../lib/errors.ts';
import type { UserStore } from './user-store.ts';

/**
 * Refuses a user whom the SuperTokens core has as well: it would let a disabled user set a new password.
 * @returns false if there is no such user
 * @throws {AppError} HANDED_OVER
 */
export async function setDisabled(
  { store }: { store: Pick<UserStore, 'setDisabled'> },
  { userId, disabled }: { userId: string; disabled: boolean },
): Promise<boolean> {
  const outcome = await store.setDisabled(userId, disabled);
  if (outcome === 'handed-over')
    throw new AppError(
      'HANDED_OVER',
      'The SuperTokens core behind this service has this user, and has no disabled users: remove the user there',
    );
  return outcome === 'set';
}
