import type { LegacyUsers } from './legacy-users.ts';
import type { User } from './user.ts';
import type { UserStore } from './user-store.ts';

type AddressStore = Pick<UserStore, 'findPasswordLogin'>;

/** Removes a user, or only the login method with this id. The legacy system cannot bring them back. */
export async function removeUser(
  {
    store,
    legacy,
  }: {
    store: AddressStore & Pick<UserStore, 'findUser' | 'removeUser'>;
    legacy?: LegacyUsers | undefined;
  },
  { userId, scope }: { userId: string; scope: 'user' | 'login-method' },
): Promise<void> {
  if (legacy !== undefined) {
    const user = await store.findUser(userId);
    const methodId = scope === 'user' ? undefined : userId;
    if (user !== undefined) await legacy.disown(await ownAddresses(store, user, methodId));
  }
  await store.removeUser(userId, scope);
}

/**
 * Returns the addresses of a user, or of one login method, that are proven to be the user's: verified ones, and
 * those that an import or the legacy system has given to a password login. Others may be those of other people.
 * @param methodId id of a login method, which may be a former one if the user has only one left
 */
export async function ownAddresses(
  store: AddressStore,
  { loginMethods }: User,
  methodId?: string,
): Promise<string[]> {
  const emails: string[] = [];
  for (const { recipeId, recipeUserId, externalId, email, verified } of loginMethods) {
    const isMeant =
      methodId === undefined ||
      recipeUserId === methodId ||
      externalId === methodId ||
      loginMethods.length === 1;
    if (!isMeant) continue;
    if (verified) emails.push(email);
    else if (recipeId === 'emailpassword') {
      const login = await store.findPasswordLogin(email);
      if (login !== undefined && login.emailSetBy === undefined) emails.push(email);
    }
  }
  return emails;
}
