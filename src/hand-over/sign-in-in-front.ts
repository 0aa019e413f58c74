import type { Passwords } from '../hashing/passwords.ts';
import { AppError } from '../lib/errors.ts';
import type { CoreCalls } from '../upstream/core-calls.ts';
import { normalizeEmail } from '../users/email.ts';
import type { LegacyUsers } from '../users/legacy-users.ts';
import type { PasswordLogin, UserStore } from '../users/user-store.ts';
import type { HandOverStore } from './hand-over-store.ts';
import type { HandOverWorker } from './hand-over-worker.ts';
import { lockLogin } from './lock-login.ts';

export interface FrontDeps {
  users: Pick<UserStore, 'findPasswordLogin' | 'removeUser' | 'findUser'>;
  handOvers: HandOverStore;
  worker: Pick<HandOverWorker, 'placeholder' | 'handOverNow'>;
  passwords: Passwords;
  core: CoreCalls;
  /** Undefined if no legacy system is asked. */
  legacy?: LegacyUsers | undefined;
}

/** An answer of the core to a sign-in. `unclear`: the core has neither accepted nor refused the password. */
export interface Forwarded<Answer> {
  answer: Answer;
  outcome: 'signed-in' | 'wrong-credentials' | 'unclear';
}

/** What a sign-in does besides forwarding the call. */
export interface FrontResult<Answer> {
  answer: Answer;
  /** Algorithm of the hash that was verified here. */
  algorithm?: string;
}

/**
 * Signs in somebody in front of the core. The old password of a user who waits is verified here and set in the core. Every
 * answer comes from the core.
 * @param credentials `contentType` is that of the call
 * @param forward sends the call to the core as it came, and returns the answer
 * @throws {AppError} CORE_UNAVAILABLE, HAND_OVER_SECRET, NOT_HANDED_OVER, OVERLOADED: never "wrong password" for a fault
 */
export async function signInInFront<Answer>(
  deps: FrontDeps,
  credentials: { email: string; password: string; contentType: string | undefined },
  forward: () => Promise<Forwarded<Answer>>,
  signal?: AbortSignal,
): Promise<FrontResult<Answer>> {
  const email = normalizeEmail(credentials.email);
  if (email === undefined) return { answer: (await forward()).answer };
  const password = Buffer.from(credentials.password, 'utf8');
  const login = await deps.users.findPasswordLogin(email);
  if (login === undefined || 'noHash' in login || !(await isNotMoved(deps, login))) {
    const { answer, outcome } = await forward();
    if (outcome !== 'wrong-credentials') return { answer };
    await deps.passwords.waitAsDecoy(email, password, signal);
    if (await movesIn(deps, email, password, login)) return signInMovedIn(deps, credentials, forward, signal);
    return { answer };
  }
  const { algorithm } = login.hash;
  let matches: boolean;
  try {
    matches = await deps.passwords.verify(login.hash, password, signal);
  } catch (error) {
    // The hash cannot be verified now, but the person may have another password in the core.
    if (error instanceof AppError || signal?.aborted) throw error;
    const { answer, outcome } = await forward();
    if (outcome === 'signed-in') return { answer, algorithm };
    throw error;
  }
  // An empty password never matches, because a system may store its hash for users who have no password. A disabled user is not
  // moved; the core does not know the password.
  if (!matches || password.length === 0 || login.isDisabled) {
    const { answer, outcome } = await forward();
    if (outcome === 'wrong-credentials' && (await movesIn(deps, email, password, login)))
      return signInMovedIn(deps, credentials, forward, signal);
    return { answer, algorithm };
  }
  const answer = await move(deps, { ...credentials, email, login }, forward);
  return { answer, algorithm };
}

/** Signs in somebody whose password has just been stored here. The legacy system is not asked again. */
const signInMovedIn = <Answer>(
  deps: FrontDeps,
  credentials: { email: string; password: string; contentType: string | undefined },
  forward: () => Promise<Forwarded<Answer>>,
  signal?: AbortSignal,
): Promise<FrontResult<Answer>> =>
  signInInFront({ ...deps, legacy: undefined }, credentials, forward, signal);

/**
 * Asks the legacy system about a password that the core refuses. Returns whether the login has changed here since. Somebody
 * whom the core knows and this service does not, or not any more, has moved.
 */
async function movesIn(
  deps: FrontDeps,
  email: string,
  password: Buffer,
  login: PasswordLogin | undefined,
): Promise<boolean> {
  const { legacy, core } = deps;
  if (legacy === undefined) return false;
  const hasMoved =
    login === undefined ? await core.hasPasswordLogin(email) : !(await isNotMoved(deps, login));
  // A login with a password of its own is not asked about, which takes as long.
  const asked = hasMoved ? { recipeUserId: '', noHash: 'unset' as const, isDisabled: false } : login;
  return (await legacy.verify(email, password, asked)) === 'changed';
}

/**
 * Creates somebody whom only the legacy system knows, in the core as well, with a placeholder password. The core then finds the
 * person at a sign-up or before a reset.
 * @throws {AppError} NOT_HANDED_OVER if no hand-over was started, and the errors of `LegacyUsers.lookUp`
 */
export async function bringFromLegacy(deps: FrontDeps, rawEmail: string): Promise<void> {
  const { legacy, core, handOvers, worker } = deps;
  const email = normalizeEmail(rawEmail);
  if (legacy === undefined || email === undefined || (await core.hasPasswordLogin(email))) return;
  const user = await legacy.lookUp(email);
  if (user === undefined) return;
  const handOver = await handOvers.latest();
  if (handOver === undefined) throw notHandedOver();
  await worker.handOverNow(handOver, user.id);
}

/** Returns whether the old hash still counts. */
async function isNotMoved({ handOvers }: FrontDeps, { recipeUserId }: PasswordLogin): Promise<boolean> {
  const state = (await handOvers.findLogin(recipeUserId))?.state;
  return state === undefined || state === 'sending' || state === 'waiting';
}

/** Sets the old password in the core, and forwards the sign-in. */
async function move<Answer>(
  deps: FrontDeps,
  {
    email,
    login,
    password,
    contentType,
  }: { email: string; login: PasswordLogin; password: string; contentType: string | undefined },
  forward: () => Promise<Forwarded<Answer>>,
): Promise<Answer> {
  const { handOvers, worker, core } = deps;
  const { recipeUserId } = login;
  if (!(await isInCore(deps, login))) throw notHandedOver();
  if (!(await lockLogin(handOvers, recipeUserId))) {
    // An undo may have removed the person from the core while this sign-in waited.
    if ((await handOvers.findLogin(recipeUserId)) === undefined) throw notHandedOver();
    return (await forward()).answer;
  }
  let isEnded = false;
  try {
    const record = await handOvers.findLogin(recipeUserId);
    const handOver = record && (await handOvers.find(record.handOverId));
    if (handOver === undefined) throw notHandedOver();
    const placeholder = await worker.placeholder(handOver);
    const there = await core.signIn(email, placeholder.password);
    if (there.outcome === 'signed-in') {
      const set = await core.setPassword(there.recipeUserId, password, contentType);
      if (set === 'set') {
        isEnded = await endWaiting(deps, recipeUserId, 'moved');
        return (await forward()).answer;
      }
    }
    // The core has no such login: it was removed there, or this is another core. The hash may be needed again.
    if (!(await core.hasPasswordLogin(email))) return (await forward()).answer;
    // The password was changed past this service, or an earlier sign-in broke off after it had set the password.
    const { answer, outcome } = await forward();
    if (outcome !== 'unclear')
      isEnded = await endWaiting(deps, recipeUserId, outcome === 'signed-in' ? 'moved' : 'changed');
    return answer;
  } finally {
    if (!isEnded) await handOvers.unlock(recipeUserId);
  }
}

/** Returns whether the core has the login. Somebody who came here after the hand-over is handed over now. */
async function isInCore(
  { handOvers, worker, users }: FrontDeps,
  { recipeUserId }: PasswordLogin,
): Promise<boolean> {
  const record = await handOvers.findLogin(recipeUserId);
  if (record !== undefined && record.state !== 'sending') return true;
  const handOver = await handOvers.latest();
  const user = handOver && (await users.findUser(recipeUserId));
  return handOver !== undefined && user !== undefined && worker.handOverNow(handOver, user.id);
}

/** Ends the waiting of a login and removes its hash here. If the removal fails, the worker repeats it. */
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

const notHandedOver = () =>
  new AppError('NOT_HANDED_OVER', 'This user is not in the core yet: run user-import hand-over');
