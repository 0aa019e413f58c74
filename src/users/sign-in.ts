import type { Passwords } from '../hashing/passwords.ts';
import { AppError } from '../lib/errors.ts';
import type { VerifiedLogin } from '../passwords/hash-store.ts';
import type { PasswordUpgrades } from '../passwords/upgrade-password.ts';
import type { LegacyUsers } from './address-owner.ts';
import { normalizeEmail, requireEmailToFind } from './email.ts';
import type { User } from './user.ts';
import type { PasswordLogin, UserStore } from './user-store.ts';

/** Precision of the recorded last sign-in, so that a user causes at most one write a day for each hash. */
const SIGN_IN_RESOLUTION_MS = 24 * 60 * 60 * 1000;

/**
 * Maximum number of attempts, because each costs as much as the first. Only a change of the login during an attempt
 * causes another one.
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
  legacy?: LegacyUsers | undefined;
}

/**
 * Signs in a user. An unknown e-mail takes as long as a wrong password, so that nobody learns which addresses have
 * users. An empty password never signs in, because a former system may have stored its hash for users without a
 * password.
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
    // The sign-in counts only if the login still has the verified hash and is not disabled.
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
