import type { User } from './user.ts';
import type { PasswordLogin } from './user-store.ts';

/** The legacy system, as sign-ins and sign-ups see it (src/legacy-sign-in). */
export interface LegacyUsers {
  /**
   * Asks the legacy system about a password that does not match here, unless it must not be asked about this login. In
   * that case the call takes about as long. `changed` means that the login may have changed, for example because the
   * legacy system has verified the password: the caller must read the login again.
   * @param email normalised
   * @param login login with this e-mail; undefined if there is none
   * @throws {AppError} LEGACY_UNAVAILABLE for every fault, OVERLOADED if the address has had too many attempts
   */
  verify(
    email: string,
    password: Buffer,
    login: PasswordLogin | undefined,
  ): Promise<'changed' | 'wrong-credentials'>;
  /**
   * Asks the legacy system about an address without a user here. If it knows the address, creates the user here,
   * without a password, and returns the user. Otherwise returns undefined.
   * @param email normalised
   * @throws {AppError} LEGACY_UNAVAILABLE for every fault, OVERLOADED if there were too many look-ups
   */
  lookUp(email: string): Promise<User | undefined>;
}
