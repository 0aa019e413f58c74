import type { LegacyUsers } from './legacy-users.ts';
import type { User } from './user.ts';
import type { UserStore } from './user-store.ts';

/** Removes a user, or only the login method with this id. The legacy system cannot bring them back. */
export async function removeUser(
  { store, legacy }: { store: Pick<UserStore, 'findUser' | 'removeUser'>; legacy?: LegacyUsers | undefined },
  { userId, scope }: { userId: string; scope: 'user' | 'login-method' },
): Promise<void> {
  if (legacy !== undefined) {
    const user = await store.findUser(userId);
    if (user !== undefined)
      await legacy.disown(addressesToDisown(user, scope === 'user' ? undefined : userId));
  }
  await store.removeUser(userId, scope);
}

/**
 * Returns the addresses of a user, or of one login method. Unverified addresses of third-party logins are left
 * out: they may be those of other people.
 */
export const addressesToDisown = ({ loginMethods }: User, methodId: string | undefined): string[] =>
  loginMethods
    .filter(
      ({ recipeUserId, externalId }) =>
        methodId === undefined || recipeUserId === methodId || externalId === methodId,
    )
    .filter(({ recipeId, verified }) => recipeId === 'emailpassword' || verified)
    .map(({ email }) => email);
