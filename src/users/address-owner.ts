import type { LegacyUsers } from './legacy-users.ts';
import type { PasswordLogin, UserStore } from './user-store.ts';

/**
 * Owner of an e-mail address. `legacy`: only the legacy system knew the address. The person has a login
 * without a password here since this question.
 */
export type AddressOwner =
  | { kind: 'nobody' }
  | { kind: 'login'; login: PasswordLogin }
  | { kind: 'legacy'; recipeUserId: string };

/**
 * Finds the owner of an address. Every call that gives an address to a password login asks here first:
 * sign-ups, changes of address, and those calls on their way to a SuperTokens core. Exceptions:
 * - Imports say whose an address is, so the legacy system is not asked. They never match a user by an address
 *   that was changed here (`EmailSetBy`).
 * - Addresses of third-party logins belong to nobody, so that any number of logins may share one. Only if the
 *   provider has verified the address, the legacy system is no longer asked about it.
 * @param email normalised. A text that has no normal form must be refused, because it may be read as the
 * address of somebody
 * @throws {AppError} LEGACY_UNAVAILABLE, OVERLOADED
 */
export async function ownerOf(
  {
    store,
    legacy,
  }: { store: Pick<UserStore, 'findPasswordLogin'>; legacy?: Pick<LegacyUsers, 'lookUp'> | undefined },
  email: string,
): Promise<AddressOwner> {
  const login = await store.findPasswordLogin(email);
  if (login !== undefined) return { kind: 'login', login };
  const user = await legacy?.lookUp(email);
  return user === undefined ? { kind: 'nobody' } : { kind: 'legacy', recipeUserId: user.id };
}
