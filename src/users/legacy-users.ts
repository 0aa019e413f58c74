import type { User } from './user.ts';
import type { PasswordLogin } from './user-store.ts';

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
