import { AppError } from '../lib/errors.ts';
import type { UserStore } from './user-store.ts';

interface SetDisabledDeps {
  store: Pick<UserStore, 'findUser' | 'setDisabled'>;
  handOvers: {
    /**
     * Forgets that the SuperTokens core has refused this login, so that the login is handed over again.
     * @returns false if the core has the login, or may have it
     */
    releaseRefused(recipeUserId: string): Promise<boolean>;
  };
}

/**
 * Disables or enables a user. Refuses a user who is in the SuperTokens core as well, because the core would accept a
 * new password of a disabled user.
 * @returns false if there is no such user
 * @throws {AppError} HANDED_OVER
 */
export async function setDisabled(
  { store, handOvers }: SetDisabledDeps,
  { userId, disabled }: { userId: string; disabled: boolean },
): Promise<boolean> {
  const user = await store.findUser(userId);
  if (user === undefined) return false;
  for (const { recipeUserId } of user.loginMethods) {
    // Without a core, no user is handed over.
    if (await handOvers.releaseRefused(recipeUserId)) continue;
    throw new AppError(
      'HANDED_OVER',
      'The SuperTokens core behind this service has this user, and has no disabled users: remove the user there',
    );
  }
  return store.setDisabled(userId, disabled);
}
