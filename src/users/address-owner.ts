import type { User } from './user.ts';
import type { PasswordLogin, UserStore } from './user-store.ts';

/** Calls of the legacy system, which still knows passwords of users without a hash (src/legacy-sign-in). */
export interface LegacyUsers {
  /**
   * Asks the legacy system about a password that does not match here. If it must not be asked about this
   * login, the call only takes as long. `changed`: the login may have changed, for example because the
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
   * Asks the legacy system about an address that nobody has proven to own here. Creates a user whom it knows,
   * without a password.
   * @param email normalised
   * @throws {AppError} LEGACY_UNAVAILABLE for every fault, OVERLOADED if there were too many look-ups
   */
  lookUp(email: string): Promise<User | undefined>;
  /** Never asks the legacy system about these addresses again, because their users were removed here. */
  disown(emails: readonly string[]): Promise<void>;
}

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
