import type { User } from './user.ts';
import type { PasswordLogin, UserStore } from './user-store.ts';

/** Interface to the legacy system, which still knows passwords of users without a hash (src/legacy-sign-in). */
export interface LegacyUsers {
  /**
   * Asks the legacy system about a password that does not match here. If it must not be asked about this login, the
   * call only waits as long as an answer would take. `changed`: the login may have changed, for example because the
   * password was verified, so the caller must read the login again.
   * @param email normalised
   * @throws {AppError} LEGACY_UNAVAILABLE for every fault, OVERLOADED if the address had too many attempts
   */
  verify(
    email: string,
    password: Buffer,
    login: PasswordLogin | undefined,
  ): Promise<'changed' | 'wrong-credentials'>;
  /**
   * Asks the legacy system about an address that nobody has proven to own here. If it knows a user, creates this user
   * without a password.
   * @param email normalised
   * @throws {AppError} LEGACY_UNAVAILABLE for every fault, OVERLOADED if there were too many look-ups
   */
  lookUp(email: string): Promise<User | undefined>;
  /**
   * Prevents further questions to the legacy system about these addresses, because their users were removed here or
   * have other addresses now.
   */
  disown(emails: readonly string[]): Promise<void>;
}

/**
 * Owner of an e-mail address. `legacy`: only the legacy system knew the owner, who now has a login without a password
 * here.
 */
export type AddressOwner =
  | { kind: 'nobody' }
  | { kind: 'login'; login: PasswordLogin }
  | { kind: 'legacy'; recipeUserId: string };

/**
 * Finds the owner of an address. Called before an address is given to a password login: at sign-ups, at changes of
 * address, and before such calls are forwarded to a SuperTokens core. Exceptions:
 * - Imports state who owns an address, so the legacy system is not asked. They never match a user by an address that
 * was changed here (`EmailSetBy`).
 * - Addresses of third-party logins have no owner, so that any number of logins may share one. The legacy system is
 * still asked about such an address, unless the provider has verified it.
 * @param email normalised. The caller must refuse a text that has no normal form, because it may be read as the address
 * of somebody
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
