import type { User } from './user.ts';
import type { PasswordLogin } from './user-store.ts';

/** The legacy system, as sign-ins and sign-ups see it (src/legacy-sign-in). */
export interface LegacyUsers {
  /**
   * Asks the legacy system about a password that is not right here, if it is to be asked about this login. Takes about as
   * long if it is not. `changed`: the login has changed, perhaps because the person has moved in, so look again.
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
   * Creates the person with this address here, without a password, if only the legacy system knows the address. Returns the
   * user, or undefined if there is nothing to create.
   * @param email normalised
   * @throws {AppError} LEGACY_UNAVAILABLE for every fault, OVERLOADED if there were too many look-ups
   */
  lookUp(email: string): Promise<User | undefined>;
}
