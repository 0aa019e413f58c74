import type { Passwords } from '../hashing/passwords.ts';
import { AppError } from '../lib/errors.ts';
import { ownerOf } from './address-owner.ts';
import { requireEmail } from './email.ts';
import type { LegacyUsers } from './legacy-users.ts';
import { ownAddresses } from './remove-user.ts';
import { requirePassword } from './sign-up.ts';
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
    // The store checks other users of this service when it writes.
    if ((await ownerOf(deps, email)).kind === 'legacy') return 'email-taken';
    if (deps.legacy !== undefined) former = await ownAddresses(deps.store, user, request.recipeUserId);
  }
  const hash = password && (await deps.passwords.hash(password, signal));
  const outcome = await deps.store.updatePasswordLogin(request.recipeUserId, {
    ...(email && { email }),
    ...(hash && { hash }),
  });
  // The legacy system would create a second user with the address that this user has left.
  if (outcome === 'updated') await deps.legacy?.disown(former.filter((one) => one !== email));
  return outcome;
}
