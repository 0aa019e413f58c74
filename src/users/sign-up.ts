import type { Passwords } from '../hashing/passwords.ts';
import { AppError } from '../lib/errors.ts';
import { type LegacyUsers, ownerOf } from './address-owner.ts';
import { requireEmail } from './email.ts';
import type { ThirdPartyIdentity, User } from './user.ts';
import type { UserStore } from './user-store.ts';

/**
 * Creates a user with a password.
 * @throws {AppError} if the e-mail is refused or the password is empty
 */
export async function signUp(
  deps: { store: UserStore; passwords: Passwords; legacy?: LegacyUsers | undefined },
  credentials: { email: string; password: string },
  signal?: AbortSignal,
): Promise<{ user: User; algorithm: string } | 'email-taken'> {
  const email = requireEmail(credentials.email);
  const password = requirePassword(credentials.password);
  // Hashing is expensive, so a taken e-mail address is noticed before it. The insert checks again.
  if ((await ownerOf(deps, email)).kind !== 'nobody') return 'email-taken';
  const hash = await deps.passwords.hash(password, signal);
  const user = await deps.store.createPasswordUser({ email, hash });
  return user === 'email-taken' ? user : { user, algorithm: hash.algorithm };
}

/** @throws {AppError} PASSWORD_EMPTY */
export function requirePassword(password: string): Buffer {
  if (password === '') throw new AppError('PASSWORD_EMPTY', 'Password cannot be an empty string');
  return Buffer.from(password, 'utf8');
}

/**
 * Signs in the user with this identity, or creates the user. A disabled user is neither signed in nor changed.
 * @throws {AppError} if the e-mail is refused
 */
export async function signInUpThirdParty(
  store: UserStore,
  request: { identity: ThirdPartyIdentity; email: string; verified: boolean },
): Promise<{ user: User; recipeUserId: string; created: boolean } | 'disabled'> {
  const signedIn = await store.signInUpThirdParty({ ...request, email: requireEmail(request.email) });
  return signedIn.user.isDisabled ? 'disabled' : signedIn;
}
