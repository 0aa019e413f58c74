import type { Passwords } from '../hashing/passwords.ts';
import { AppError } from '../lib/errors.ts';
import type { VerifiedLogin } from '../passwords/hash-store.ts';
import type { PasswordUpgrades } from '../passwords/upgrade-password.ts';
import { normalizeEmail, requireEmailToFind } from './email.ts';
import type { LegacyUsers } from './legacy-users.ts';
import type { User } from './user.ts';
import type { PasswordLogin, UserStore } from './user-store.ts';

/**
 * Precision with which the last sign-in is recorded. A user causes at most one write a day for each hash,
 * instead of one for each sign-in.
 */
const SIGN_IN_RESOLUTION_MS = 24 * 60 * 60 * 1000;

/**
 * Maximum number of attempts to verify a password, if the login changes meanwhile. Each attempt costs as much
 * as the first.
 */
const MAX_ATTEMPTS = 3;

export type SignInOutcome =
  | { outcome: 'signed-in'; login: VerifiedLogin & { user: User } }
  /** Result for an unknown e-mail and for a wrong password. Callers must not learn which it is. */
  | { outcome: 'wrong-credentials'; algorithm?: string };

export interface SignInDeps {
  store: UserStore;
  passwords: Passwords;
  upgrades: Pick<PasswordUpgrades, 'offer'>;
  now: () => number;
  /** Calls of the legacy system, which still knows some passwords. Undefined if none is configured. */
  legacy?: LegacyUsers | undefined;
}

/**
 * Signs in a user with e-mail and password. An unknown e-mail takes as long as a wrong password, so that
 * nobody learns which addresses have users. An empty password never signs in, because a system may store its
 * hash for users who have no password. A disabled user never signs in, either.
 */
export async function signIn(
  deps: SignInDeps,
  credentials: { email: string; password: string },
  signal?: AbortSignal,
): Promise<SignInOutcome> {
  const email = requireEmailToFind(credentials.email);
  const password = Buffer.from(credentials.password, 'utf8');
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    const login = await deps.store.findPasswordLogin(email);
    if (login === undefined || 'noHash' in login) {
      // A login without a hash matches no password. The refusal takes as long as one for an unknown e-mail.
      await deps.passwords.verifyDecoy(email, password, signal);
      if ((await askLegacy(deps, credentials.email, password, login)) === 'changed') continue;
      return { outcome: 'wrong-credentials' };
    }
    const matches = await deps.passwords.verify(login.hash, password, signal, email);
    // A disabled user costs the same time, and gets the same answer, as a wrong password.
    if (!matches || password.length === 0 || login.isDisabled) {
      if ((await askLegacy(deps, credentials.email, password, login)) === 'changed') continue;
      return { outcome: 'wrong-credentials', algorithm: login.hash.algorithm };
    }
    const isRecorded = deps.now() - (login.lastSignInMs ?? 0) < SIGN_IN_RESOLUTION_MS;
    // The login may have changed while the password was verified. The sign-in counts only if the login still
    // has the verified hash and is not disabled.
    const user = await (isRecorded
      ? deps.store.findSignedIn(email, login)
      : deps.store.recordSignIn(email, login));
    if (user !== undefined) {
      const { recipeUserId, hash } = login;
      deps.upgrades.offer({ email, recipeUserId, hash }, password);
      return { outcome: 'signed-in', login: { user, recipeUserId, hash } };
    }
  }
  throw new AppError('OVERLOADED', 'Service is overloaded: too many concurrent changes to the same user');
}

/**
 * Asks the legacy system about a password that does not match in this service. It is not asked about an
 * e-mail address that no user can have.
 */
async function askLegacy(
  { legacy }: SignInDeps,
  rawEmail: string,
  password: Buffer,
  login: PasswordLogin | undefined,
): Promise<'changed' | 'wrong-credentials'> {
  const email = normalizeEmail(rawEmail);
  if (legacy === undefined || email === undefined) return 'wrong-credentials';
  return legacy.verify(email, password, login);
}
