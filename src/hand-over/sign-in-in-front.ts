import type { Passwords } from '../hashing/passwords.ts';
import { AppError } from '../lib/errors.ts';
import { emailAtCore } from '../users/email.ts';
import type { PasswordLogin, UserStore } from '../users/user-store.ts';
import { type BringDeps, bringLogin, notHandedOver } from './bring-into-core.ts';
import type { LoginState } from './hand-over-store.ts';
import type { HandOverWorker } from './hand-over-worker.ts';
import { lockLogin } from './placeholder.ts';

export interface FrontDeps extends BringDeps {
  worker: Pick<HandOverWorker, 'placeholder' | 'handOverNow'>;
  passwords: Passwords;
}

/** Credentials of a sign-in on its way to the core. */
export interface FrontCredentials {
  /** Address as the core decodes it from the request, not normalised. */
  email: string;
  /** Password as the user typed it. The hash in this service was made of this form. */
  password: string;
  /** Password as the core decodes it from the request. It differs if the core assumes another charset. */
  passwordAtCore: string;
}

/** Answer of the core to a sign-in. `unclear`: the core has neither accepted nor refused the password. */
export interface Forwarded<Answer> {
  answer: Answer;
  outcome: 'signed-in' | 'wrong-credentials' | 'unclear';
}

export interface FrontResult<Answer> {
  answer: Answer;
  /** Algorithm of the hash that this service has verified. Undefined if only the core was asked. */
  algorithm?: string;
}

/**
 * Signs in a user in front of a SuperTokens core. If the core only has the placeholder password, this service verifies
 * the old password and sets it in the core. The answer always comes from the core. An error never becomes the answer
 * "wrong password".
 * @throws {AppError} CORE_UNAVAILABLE, HAND_OVER_SECRET, NOT_HANDED_OVER, OVERLOADED. FIELD_INVALID if the core may
 * understand the address as another one
 */
export async function signInInFront<Answer>(
  deps: FrontDeps,
  credentials: FrontCredentials,
  forward: () => Promise<Forwarded<Answer>>,
  signal?: AbortSignal,
): Promise<FrontResult<Answer>> {
  const email = emailAtCore(credentials.email);
  if (email === undefined) return { answer: (await forward()).answer };
  const password = Buffer.from(credentials.password, 'utf8');
  const standing = await standingOf(deps, email);
  const login = hasMoved(standing) ? undefined : withHash(standing.login);
  const verified = login && { algorithm: login.hash.algorithm };
  let matches = false;
  try {
    if (login !== undefined) matches = await deps.passwords.verify(login.hash, password, signal, email);
  } catch (error) {
    // This service cannot verify the hash now, but the user may have another password in the core.
    if (error instanceof AppError || signal?.aborted) throw error;
    const { answer, outcome } = await forward();
    if (outcome === 'signed-in') return { answer, ...verified };
    throw error;
  }
  // An empty password never matches, because a former system may have stored the hash of an empty password for users
  // without one. The password of a disabled user is not set in the core.
  if (login !== undefined && matches && password.length > 0 && !login.isDisabled)
    return { answer: await move(deps, { ...credentials, email, login }, forward), ...verified };
  const { answer, outcome } = await forward();
  if (outcome === 'wrong-credentials') {
    if (login === undefined) await deps.passwords.waitAsDecoy(email, password, signal);
    // The login has changed. The legacy system is not asked again.
    if (await movesIn(deps, email, password, standing))
      return signInInFront({ ...deps, legacy: undefined }, credentials, forward, signal);
  }
  return { answer, ...verified };
}

/**
 * Asks the legacy system about a password that the core refused. Returns whether the login has changed, so that the
 * sign-in must be repeated.
 */
async function movesIn(
  deps: FrontDeps,
  email: string,
  password: Buffer,
  standing: Standing,
): Promise<boolean> {
  const { legacy, core } = deps;
  if (legacy === undefined) return false;
  const isKnown = standing.login === undefined && (await core.hasOwner(email));
  // Another sign-in may have stored the user's password while the core refused this one. Users are created in
  // this service before they are created in the core, so the login must be read after the core was asked.
  const now = await standingOf(deps, email);
  const { login } = now;
  const isMoved = login === undefined ? isKnown : hasMoved(now);
  // The login has no hash, but another sign-in may be storing one now. `legacy.verify` waits for that sign-in.
  const isMovingIn = login !== undefined && !hasHash(login) && !isMoved;
  if (!isMovingIn && !isSameStanding(standing, now)) return true;
  // If the core has the user's password, the legacy system must not be asked. `legacy.verify` then only waits as long
  // as a call of the legacy system takes, so that the time does not show the difference.
  return (await legacy.verify(email, password, isMoved ? NOT_TO_ASK : login)) === 'changed';
}

/** Login for which `legacy.verify` only waits, and does not ask the legacy system. */
const NOT_TO_ASK: PasswordLogin = {
  recipeUserId: '',
  noHash: 'unset',
  isDisabled: false,
  emailSetBy: undefined,
};

interface Standing {
  login: PasswordLogin | undefined;
  /** Undefined if the login was not handed over. */
  state: LoginState | undefined;
}

async function standingOf({ users, handOvers }: FrontDeps, email: string): Promise<Standing> {
  const login = await users.findPasswordLogin(email);
  return { login, state: login && (await handOvers.findLogin(login.recipeUserId))?.state };
}

const isSameStanding = (one: Standing, other: Standing): boolean =>
  one.login?.recipeUserId === other.login?.recipeUserId &&
  hasHash(one.login) === hasHash(other.login) &&
  one.state === other.state;

const withHash = (login: PasswordLogin | undefined) =>
  login !== undefined && 'hash' in login ? login : undefined;

const hasHash = (login: PasswordLogin | undefined) => withHash(login) !== undefined;

/** Returns whether the hash here is void: the core has this password or a newer one, or has refused the login. */
const hasMoved = ({ state }: Standing): boolean =>
  state !== undefined && state !== 'sending' && state !== 'waiting';

/** Sets in the core the password that this service has verified, and forwards the sign-in to the core. */
async function move<Answer>(
  deps: FrontDeps,
  { email, login, passwordAtCore }: FrontCredentials & { login: PasswordLogin },
  forward: () => Promise<Forwarded<Answer>>,
): Promise<Answer> {
  const { handOvers, worker, core } = deps;
  const { recipeUserId } = login;
  await bringLogin(deps, recipeUserId);
  if (!(await lockLogin(handOvers, recipeUserId))) {
    // The undo of the hand-over may have removed the user while this sign-in waited for the lock.
    if ((await handOvers.findLogin(recipeUserId)) === undefined) throw notHandedOver();
    return (await forward()).answer;
  }
  let isEnded = false;
  try {
    const record = await handOvers.findLogin(recipeUserId);
    const handOver = record && (await handOvers.find(record.handOverId));
    if (record === undefined || handOver === undefined) throw notHandedOver();
    const placeholder = await worker.placeholder(handOver);
    const there = await core.signIn(email, placeholder.password);
    // All waiting users share the placeholder password. The core may have given the address to another one of them. A
    // login that was linked in the core since has another user id, but still the recipe user id of the hand-over.
    const isOther =
      there.outcome === 'signed-in' && ![there.userId, there.recipeUserId].includes(record.coreId);
    if (there.outcome === 'signed-in' && !isOther) {
      const set = await core.setPassword(there.recipeUserId, passwordAtCore);
      if (set === 'set') {
        isEnded = await endWaiting(deps, recipeUserId, 'moved');
        return (await forward()).answer;
      }
    }
    // The core has no such login: it was removed, or another core is configured. The hash is kept, because it may be
    // needed again.
    if (!(await core.hasPasswordLogin(email))) return (await forward()).answer;
    // The core has the login with another password than the placeholder. It was changed without this service, or an
    // earlier sign-in set it and was interrupted.
    const { answer, outcome } = await forward();
    if (outcome !== 'unclear')
      isEnded = await endWaiting(
        deps,
        recipeUserId,
        outcome === 'signed-in' && !isOther ? 'moved' : 'changed',
      );
    return answer;
  } finally {
    if (!isEnded) await handOvers.unlock(recipeUserId);
  }
}

/** Records that the core has the current password, and removes the hash. The worker retries a failed removal. */
export async function endWaiting(
  { handOvers, users }: Pick<FrontDeps, 'handOvers'> & { users: Pick<UserStore, 'removeUser'> },
  recipeUserId: string,
  state: 'moved' | 'changed',
): Promise<true> {
  if (await handOvers.endWaiting(recipeUserId, state)) {
    await users.removeUser(recipeUserId, 'login-method');
    await handOvers.hashRemoved(recipeUserId);
  }
  return true;
}
