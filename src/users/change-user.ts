import type { Passwords } from '../hashing/passwords.ts';
import { AppError } from '../lib/errors.ts';
import { type LegacyUsers, ownerOf } from './address-owner.ts';
import { requireEmail } from './email.ts';
import { requirePassword } from './sign-up.ts';
import type { User } from './user.ts';
import type { UserStore } from './user-store.ts';

export type UpdateOutcome = 'updated' | 'unknown-user' | 'email-taken';

/** Changes one password login in one atomic step. */
export async function updateUser(
  deps: { store: UserStore; passwords: Passwords; legacy?: LegacyUsers | undefined },
  request: { recipeUserId: string; email?: string; password?: string },
  signal?: AbortSignal,
): Promise<UpdateOutcome> {
  if (request.email === undefined && request.password === undefined) {
    throw new AppError('UPDATE_EMPTY', 'You have to provide either email or password.');
  }
  const email = request.email === undefined ? undefined : requireEmail(request.email);
  const password = request.password === undefined ? undefined : requirePassword(request.password);
  let former: string[] = [];
  if (email !== undefined) {
    const user = await deps.store.findUser(request.recipeUserId);
    if (user === undefined) return 'unknown-user';
    // Users of this service are not checked here. The store checks them when it writes.
    if ((await ownerOf(deps, email)).kind === 'legacy') return 'email-taken';
    if (deps.legacy !== undefined) former = await ownAddresses(deps.store, user, request.recipeUserId);
  }
  const hash = password && (await deps.passwords.hash(password, signal));
  const outcome = await deps.store.updatePasswordLogin(request.recipeUserId, {
    ...(email && { email }),
    ...(hash && { hash }),
  });
  // Otherwise, the legacy system could create a second user with the address that this user has left.
  if (outcome === 'updated') await deps.legacy?.disown(former.filter((one) => one !== email));
  return outcome;
}

/**
 * Disables a user, or enables the user again. Refuses a user whom the SuperTokens core has as well, because the core
 * would let a disabled user set a new password.
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

type AddressStore = Pick<UserStore, 'findPasswordLogin'>;

/** Removes a user, or only the login method with this id. Afterwards, the legacy system cannot bring them back. */
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
 * Returns the addresses of a user, or of one login method, that are proven to be the user's: verified ones, and those
 * that an import or the legacy system has given to a password login. Other addresses may belong to other people.
 * @param methodId id of a login method. If the user has only one method, it is used whatever its id
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
