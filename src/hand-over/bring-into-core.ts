import { AppError } from '../lib/errors.ts';
import type { CoreCalls } from '../upstream/core-calls.ts';
import { type LegacyUsers, ownerOf } from '../users/address-owner.ts';
import { emailAtCore, requireSameAtCore } from '../users/email.ts';
import { findUsersByAccountInfo } from '../users/find-users.ts';
import { identityKey, type ThirdPartyIdentity } from '../users/user.ts';
import type { UserStore } from '../users/user-store.ts';
import type { HandOverStore } from './hand-over-store.ts';
import type { HandOverWorker } from './hand-over-worker.ts';

export interface BringDeps {
  users: UserStore;
  handOvers: HandOverStore;
  worker: Pick<HandOverWorker, 'handOverNow'>;
  core: CoreCalls;
  /** Client of the legacy system, which verifies passwords of users without a hash. */
  legacy?: LegacyUsers | undefined;
}

/**
 * What to do with a call about a person. `core-decides`: forward it, because the core has the person, or this service
 * does not. `only-here`: this service has a person whom the core has refused, so the core must not create another one.
 */
export type Standing = 'core-decides' | 'only-here';

/**
 * Creates the owner of an address in the core if only this service or the legacy system knows them. Called before every
 * call that gives an address to a password login of the core, so that the core finds the owner.
 * @param rawEmail not normalised
 * @throws {AppError} NOT_HANDED_OVER if no hand-over was started, and the errors of `emailAtCore` and `ownerOf`
 */
export async function bringOwner(deps: BringDeps, rawEmail: string): Promise<Standing> {
  const { users, core, legacy } = deps;
  const email = emailAtCore(rawEmail);
  if (email === undefined) return 'core-decides';
  const lookUp: LegacyUsers['lookUp'] = async (address) =>
    legacy === undefined || (await core.hasOwner(address)) ? undefined : legacy.lookUp(address);
  const owner = await ownerOf({ store: users, legacy: { lookUp } }, email);
  if (owner.kind === 'nobody') return 'core-decides';
  const { recipeUserId } = owner.kind === 'login' ? owner.login : owner;
  await assertNotUndoing(deps, recipeUserId);
  if ((await bringLogin(deps, recipeUserId)) === 'in-core') return 'core-decides';
  return (await core.hasPasswordLogin(email)) ? 'core-decides' : 'only-here';
}

/**
 * Throws if the hand-over of the login is being undone. The undo removes a user from the core before it deletes the
 * user's record here. In between, the core would let somebody else have the address.
 * @throws {AppError} NOT_HANDED_OVER
 */
async function assertNotUndoing({ handOvers }: BringDeps, recipeUserId: string): Promise<void> {
  const record = await handOvers.findLogin(recipeUserId);
  if (record?.state !== 'waiting' && record?.state !== 'sending') return;
  const handOver = await handOvers.find(record.handOverId);
  if (handOver?.undoStartedAtMs !== undefined) throw notHandedOver();
}

/**
 * Creates the user with a third-party identity in the core if only this service has the user.
 * @param email address that the provider states, if it is known
 * @returns `disabled` if the user is disabled here. The core has no such state
 * @throws {AppError} NOT_HANDED_OVER, FIELD_INVALID
 */
export async function bringIdentity(
  deps: BringDeps,
  identity: ThirdPartyIdentity,
  email?: string,
): Promise<Standing | 'disabled'> {
  // An address that the core normalises to another one is refused. Otherwise, the core would store an address that the
  // provider has not verified.
  if (email !== undefined) requireSameAtCore(email);
  const { users } = await findUsersByAccountInfo(deps.users, { thirdParty: identity }, 'all');
  const [user] = users;
  const method = user?.loginMethods.find(
    (one) => one.recipeId === 'thirdparty' && identityKey(one.thirdParty) === identityKey(identity),
  );
  if (user === undefined || method === undefined) return 'core-decides';
  if ((await bringLogin(deps, method.recipeUserId)) === 'in-core') return 'core-decides';
  if (await deps.core.hasIdentity(identity)) return 'core-decides';
  return user.isDisabled ? 'disabled' : 'only-here';
}

/**
 * Hands over the user of a login now if the core does not have the user yet, for example because the user came to this
 * service after the hand-over.
 * @throws {AppError} NOT_HANDED_OVER if no hand-over was started
 */
export async function bringLogin(
  { handOvers, worker, users }: Omit<BringDeps, 'users'> & { users: Pick<UserStore, 'findUser'> },
  recipeUserId: string,
): Promise<'in-core' | 'refused'> {
  const stateOf = async () => (await handOvers.findLogin(recipeUserId))?.state;
  let state = await stateOf();
  if (state === undefined || state === 'sending') {
    const handOver = await handOvers.latest();
    const user = handOver && (await users.findUser(recipeUserId));
    if (handOver === undefined || user === undefined) throw notHandedOver();
    // handOverNow() does nothing if the user was removed, or is in the core by now. The state is read again to see
    // which.
    await worker.handOverNow(handOver, user.id);
    state = await stateOf();
    if (state === undefined) throw notHandedOver();
  }
  return state === 'refused' ? 'refused' : 'in-core';
}

export const notHandedOver = () =>
  new AppError('NOT_HANDED_OVER', 'This user is not in the core yet: run user-import hand-over');
