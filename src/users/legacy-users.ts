import type { User } from './user.ts';
import type { PasswordLogin } from './user-store.ts';

/**
 * Calls of the legacy system, which still knows the passwords of users without a hash, for sign-ins and
 * sign-ups (src/legacy-sign-in).
 */
export interface LegacyUsers {
  /**
   * Asks the legacy system about a password that does not match in this service. If the legacy system must
   * not be asked about this login, the call only takes about as long as if it were asked. `changed` means
   * that the login may have changed, for example because the legacy system has verified the password: the
   * caller must read the login again.
   * @param email normalised
   * @param login login with this e-mail; undefined if there is none
   * @throws {AppError} LEGACY_UNAVAILABLE for every fault, OVERLOADED if the address has had too many
   * attempts
   */
  verify(
    email: string,
    password: Buffer,
    login: PasswordLogin | undefined,
  ): Promise<'changed' | 'wrong-credentials'>;
  /**
   * Asks the legacy system about an e-mail address that no user of this service has. If the legacy system
   * knows the address, creates the user in this service, without a password, and returns the user. Otherwise
   * returns undefined.
   * @param email normalised
   * @throws {AppError} LEGACY_UNAVAILABLE for every fault, OVERLOADED if there were too many look-ups
   */
  lookUp(email: string): Promise<User | undefined>;
}
