import { AppError } from '../lib/errors.ts';
import type { CoreCalls, CoreLoginMethod } from '../upstream/core-calls.ts';
import type { LegacyUsers } from '../users/address-owner.ts';
import { ownAddresses } from '../users/change-user.ts';
import { emailAtCore } from '../users/email.ts';
import type { LoginMethod, PasswordMethod, User } from '../users/user.ts';
import type { UserStore } from '../users/user-store.ts';
import type { HandOverStore } from './hand-over-store.ts';
import { lockLogin } from './placeholder.ts';
import { endWaiting } from './sign-in-in-front.ts';

export interface FollowDeps {
  users: Pick<UserStore, 'findUser' | 'findPasswordLogin' | 'removeUser' | 'updatePasswordLogin'>;
  handOvers: HandOverStore;
  core: CoreCalls;
  legacy?: LegacyUsers | undefined;
}

/** Change of a user that a client requests from the SuperTokens core through this service. */
export type CoreChange =
  | { kind: 'login'; id: string; email: string | undefined; hasPassword: boolean }
  /** Removal of a user, or of a login method. `isWhole`: all linked login methods are removed. */
  | { kind: 'removal'; id: string; isWhole: boolean };

/** User whom a change is about. A member is undefined if it is not known here. */
interface Subject {
  /** Id in this service of the user or login method to be changed. The change may name it by an id of the core. */
  id: string;
  user: User | undefined;
  method: PasswordMethod | undefined;
  /** Addresses that the user proved to own, and may lose by the change. */
  addresses: string[];
}

/**
 * Makes a change in the core, and then the same change in this service. Meanwhile, first sign-ins of the user wait.
 * Changes that do not pass through this service are noticed at the user's next sign-in.
 */
export async function followCore<Answer>(
  deps: FollowDeps,
  change: CoreChange,
  make: () => Promise<{ answer: Answer; isMade: boolean }>,
): Promise<Answer> {
  const { handOvers, legacy } = deps;
  const isOfOneLogin = change.kind === 'login' || !change.isWhole;
  const { id, user, method, addresses } = await subjectOf(deps, change.id, isOfOneLogin);
  // The addresses are disowned before the core removes the user. Otherwise, the legacy system could bring the user
  // back.
  if (change.kind === 'removal') await legacy?.disown(addresses);
  const isLocked = method !== undefined && (await lockLogin(handOvers, method.recipeUserId));
  try {
    const { answer, isMade } = await make();
    if (isMade && change.kind === 'login' && change.email !== undefined) {
      const email = emailAtCore(change.email);
      await legacy?.disown(addresses.filter((former) => former !== email));
    }
    if (isMade && user !== undefined) await follow(deps, { ...change, id }, user, method);
    return answer;
  } finally {
    if (isLocked) await handOvers.unlock(method.recipeUserId);
  }
}

/**
 * Finds the user whom a change is about. The core gives ids of its own to all but the first login of a user, and
 * clients may name a login by such an id.
 */
async function subjectOf(deps: FollowDeps, id: string, isOfOneLogin: boolean): Promise<Subject> {
  const { users, core, legacy, handOvers } = deps;
  if (id === '') return { id, user: undefined, method: undefined, addresses: [] };
  const known = await users.findUser(id);
  const there = known === undefined || legacy !== undefined ? await core.findUser(id) : undefined;
  const user = known ?? (there && (await users.findUser(there.id)));
  const login = there?.loginMethods.find(({ recipeUserId }) => recipeUserId === id);
  const same =
    known === undefined && login !== undefined ? user?.loginMethods.find(isSameLogin(login)) : undefined;
  const idHere =
    known !== undefined || there === undefined ? id : isOfOneLogin ? (same?.recipeUserId ?? id) : there.id;
  const method =
    user && (same === undefined ? waitingMethod(user, idHere) : isPassword(same) ? same : undefined);
  if (legacy === undefined) return { id: idHere, user, method, addresses: [] };
  const isFromHere = there !== undefined && (await handOvers.hasCoreUser(there.id));
  const addresses = (there?.loginMethods ?? [])
    .filter((one) => !isOfOneLogin || one === login)
    .filter(({ recipeId, verified }) => verified || (recipeId === 'emailpassword' && isFromHere))
    .flatMap(({ email }) => email ?? []);
  if (user !== undefined)
    addresses.push(...(await ownAddresses(users, user, isOfOneLogin ? idHere : undefined)));
  return { id: idHere, user, method, addresses };
}

/**
 * Disowns the addresses of a user who leaves the public tenant of the core: the legacy system then cannot bring the
 * user back.
 */
export async function disownUser(deps: FollowDeps, id: string): Promise<void> {
  const { addresses } = await subjectOf(deps, id, false);
  await deps.legacy?.disown(addresses);
}

const isPassword = (method: LoginMethod): method is PasswordMethod => method.recipeId === 'emailpassword';

const isSameLogin =
  ({ recipeId, email, thirdParty }: CoreLoginMethod) =>
  (method: LoginMethod): boolean =>
    method.recipeId === recipeId &&
    (method.recipeId === 'emailpassword'
      ? method.email === email
      : method.thirdParty.id === thirdParty?.id && method.thirdParty.userId === thirdParty.userId);

/**
 * Applies a password reset that the core has made to the login in this service. The user is known only from the core's
 * answer, so simultaneous first sign-ins of the user cannot be made to wait.
 */
export async function followReset(deps: FollowDeps, id: string): Promise<void> {
  const { method } = await subjectOf({ ...deps, legacy: undefined }, id, true);
  if (method !== undefined) await endWaiting(deps, method.recipeUserId, 'changed');
}

async function follow(
  deps: FollowDeps,
  change: CoreChange,
  user: User,
  method: PasswordMethod | undefined,
): Promise<void> {
  const { users, handOvers } = deps;
  if (change.kind === 'removal') {
    const removed = await removedLogins(handOvers, user, change);
    // All records are changed before the first removal, because a removal may change ids: the last remaining login gets
    // the id of the user.
    for (const recipeUserId of removed) await handOvers.endWaiting(recipeUserId, 'changed');
    for (const recipeUserId of removed) {
      await users.removeUser(recipeUserId, 'login-method');
      await handOvers.hashRemoved(recipeUserId);
    }
    return;
  }
  if (method === undefined) return;
  if (change.hasPassword) {
    await endWaiting(deps, method.recipeUserId, 'changed');
    return;
  }
  if (change.email === undefined) return;
  const email = emailAtCore(change.email);
  if (email === method.email) return;
  const outcome =
    email === undefined ? 'email-taken' : await users.updatePasswordLogin(method.recipeUserId, { email });
  // This service cannot store the new address, which the core has accepted. From now on the core verifies the
  // password of this login.
  if (outcome === 'email-taken') await endWaiting(deps, method.recipeUserId, 'changed');
  if (outcome === 'unknown-user')
    throw new AppError('OVERLOADED', 'Service is overloaded: the user was removed meanwhile');
}

/** Returns the password login with this id. If the id is the user's, returns the user's first password login. */
function waitingMethod({ loginMethods }: User, id: string): PasswordMethod | undefined {
  const passwords = loginMethods.filter((method) => method.recipeId === 'emailpassword');
  return passwords.find((method) => method.recipeUserId === id || method.externalId === id) ?? passwords[0];
}

/**
 * Returns ids of the logins that a removal in the core removes. Login methods of one user in this service may be
 * separate users in the core. A login that was not handed over is found by the ids of this service.
 */
async function removedLogins(
  handOvers: HandOverStore,
  user: User,
  { id, isWhole }: { id: string; isWhole: boolean },
): Promise<string[]> {
  const removed: string[] = [];
  for (const { recipeUserId, externalId } of user.loginMethods) {
    const isMeant = recipeUserId === id || externalId === id;
    const coreId = (await handOvers.findLogin(recipeUserId))?.coreId;
    const isOfMeant =
      coreId === undefined ? isMeant || user.id === id || user.externalId === id : coreId === id;
    if (isWhole ? isOfMeant : isMeant) removed.push(recipeUserId);
  }
  return removed;
}
