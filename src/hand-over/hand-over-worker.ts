import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ConcurrencyLimit } from '../lib/async/map-ahead.ts';
import { Poller } from '../lib/async/until.ts';
import { AppError } from '../lib/errors.ts';
import { type CoreCalls, MAX_STAGED } from '../upstream/core-calls.ts';
import type { FactorVault } from '../users/factor-vault.ts';
import { type OutgoingUser, outgoingUsers } from './core-user.ts';
import { withFactors } from './factors-for-core.ts';
import type { DepartingUser, HandOver, HandOverStore, LoginRecord, UserToUndo } from './hand-over-store.ts';
import { LOCK_MS, placeholderOf } from './placeholder.ts';
import { beforeSending, type Placeholder, reasonOf, refused, sendUser, settleUser } from './send-user.ts';

/**
 * Maximum number of characters in a request to the core. A batch of users with much metadata is split into several
 * requests.
 */
const MAX_REQUEST = 8 * 1024 * 1024;

/**
 * Adds users to the core's stage (its bulk import), which creates them some minutes later.
 * @throws {AppError} CORE_UNAVAILABLE
 */
export async function stageUsers(
  core: CoreCalls,
  { unlinked }: Pick<HandOver, 'unlinked'>,
  users: readonly DepartingUser[],
  placeholder: Placeholder,
): Promise<{ staged: LoginRecord[]; refused: LoginRecord[] }> {
  const records: LoginRecord[] = [];
  const staged: LoginRecord[] = [];
  const outgoing = users.flatMap((departing) =>
    outgoingUsers(departing, { unlinked, placeholderHash: placeholder.hash }),
  );
  for (const user of outgoing) if (user.obstacle !== undefined) records.push(...refused(user, user.obstacle));
  for (const request of requestsOf(outgoing.filter(({ obstacle }) => obstacle === undefined))) {
    let left = request;
    while (left.length > 0) {
      const reasons = await core.stageUsers(left.map(({ body }) => body));
      // The core accepts all users of a call or none, so the refused users are left out of the next call.
      if (reasons.size === 0) staged.push(...left.flatMap((user) => user.records));
      for (const [index, user] of left.entries()) {
        const said = reasons.get(index);
        if (said !== undefined) records.push(...refused(user, reasonOf(said)));
      }
      left = reasons.size === 0 ? [] : left.filter((_user, index) => !reasons.has(index));
    }
  }
  return { staged, refused: records };
}

function requestsOf(users: readonly OutgoingUser[]): OutgoingUser[][] {
  const requests: OutgoingUser[][] = [];
  let size = 0;
  for (const user of users) {
    const last = requests.at(-1);
    size += user.body.length;
    if (last !== undefined && last.length < MAX_STAGED && size <= MAX_REQUEST) last.push(user);
    else {
      requests.push([user]);
      size = user.body.length;
    }
  }
  return requests;
}

export interface HandOverBounds {
  batch: number;
  /**
   * Minimum number of users for the core's bulk import (its stage). One by one, the core creates some twenty
   * users a second. Staged users wait for the core's next run, which starts every five minutes.
   */
  stageFrom: number;
  /** Milliseconds between two counts of the users in the core's stage. */
  lookMs: number;
  /** Milliseconds without progress after which the worker removes the users from the core's stage. */
  stagePatienceMs: number;
}

const BOUNDS: HandOverBounds = { batch: 5000, stageFrom: 2000, lookMs: 2000, stagePatienceMs: 15 * 60_000 };

/**
 * The core's stage has made progress when at most this share of its users is left. Failed users count as left, because
 * a core that was killed before it emptied its stage fails for all its users again, at less than one user a second.
 */
const STAGE_PROGRESS = 0.9;

const AT_ONCE = 16;

/** Milliseconds for which an instance of the service reserves a hand-over. Each batch renews it. */
const CLAIM_MS = 60_000;

export interface HandOverWorkerDeps {
  store: HandOverStore;
  core: CoreCalls;
  vault: FactorVault;
  /** The setting `hand_over_secret`. */
  secret: string | undefined;
  hashPlaceholder(password: string): Promise<string>;
  /** Removes a password login whose hash is void, because the core has the current password. */
  removeLogin(recipeUserId: string): Promise<void>;
  pollMs: number;
  /** Values that replace those of BOUNDS in tests. */
  bounds?: Partial<HandOverBounds> | undefined;
  onError(error: unknown): void;
}

/**
 * Carries out the unfinished hand-over or undo in the background, and continues it after interruptions of this service
 * or of the core.
 */
export class HandOverWorker {
  readonly #deps: HandOverWorkerDeps;
  readonly #poller: Poller;
  readonly #bounds: HandOverBounds;
  readonly #owner = randomUUID();
  #problem: string | undefined;
  readonly #placeholders = new Map<string, Promise<Placeholder>>();

  constructor(deps: HandOverWorkerDeps) {
    this.#deps = deps;
    this.#bounds = { ...BOUNDS, ...deps.bounds };
    this.#poller = new Poller({
      work: () => this.#work(),
      pauseMs: deps.pollMs,
      onError: deps.onError,
    });
  }

  start(): void {
    this.#poller.start();
  }

  wake(): void {
    this.#poller.wake();
  }

  /** Resolves when the hand-over has no work left, or when the core does not answer. */
  idle(): Promise<void> {
    return this.#poller.idle();
  }

  /** Stops the worker after it has sent the users that it is sending now. */
  async stop(): Promise<void> {
    await this.#poller.stop();
    await this.#deps.store.release(this.#owner).catch(this.#deps.onError);
  }

  /**
   * Returns the placeholder password of a hand-over, and its hash, which is computed only once.
   * @throws {AppError} HAND_OVER_SECRET
   */
  async placeholder(handOver: Pick<HandOver, 'handOverId' | 'secretCheck'>): Promise<Placeholder> {
    const password = placeholderOf(this.#deps.secret, handOver);
    const known = this.#placeholders.get(handOver.handOverId);
    const made = known ?? this.#deps.hashPlaceholder(password).then((hash) => ({ password, hash }));
    this.#placeholders.set(handOver.handOverId, made);
    made.catch(() => this.#placeholders.delete(handOver.handOverId));
    return made;
  }

  /**
   * Hands over one user now, without waiting for the worker.
   * @returns false if the user was removed, or is in the core already
   * @throws {AppError} CORE_UNAVAILABLE, HAND_OVER_SECRET
   */
  async handOverNow(handOver: HandOver, userId: string): Promise<boolean> {
    const { store, core } = this.#deps;
    const placeholder = await this.placeholder(handOver);
    const departing = await store.departing(userId);
    if (departing === undefined) return false;
    for (const user of await this.#recordSending(handOver, [departing]))
      await store.record(handOver.handOverId, await sendUser(core, handOver, user, placeholder));
    return true;
  }

  async #work(): Promise<void> {
    const { store, removeLogin } = this.#deps;
    for (const recipeUserId of await store.withHashLeft(this.#bounds.batch)) {
      await removeLogin(recipeUserId);
      await store.hashRemoved(recipeUserId);
    }
    const handOver = await store.claim(this.#owner, CLAIM_MS);
    if (handOver === undefined) return;
    try {
      await (handOver.undoStartedAtMs === undefined ? this.#send(handOver) : this.#undo(handOver));
    } catch (error) {
      const problem =
        error instanceof AppError
          ? error.message
          : 'The last attempt failed, and will be repeated. The log says why.';
      await store.setProblem(handOver.handOverId, problem);
      // A problem of the hand-over that occurs again every few seconds is logged only once.
      if (problem !== this.#problem) this.#deps.onError(error);
      this.#problem = problem;
    }
  }

  /** Clears the recorded problem of the hand-over, because the core has answered. */
  async #advanced({ handOverId, problem }: HandOver): Promise<void> {
    if (this.#problem === undefined && problem === undefined) return;
    this.#problem = undefined;
    await this.#deps.store.setProblem(handOverId, undefined);
  }

  async #send(handOver: HandOver): Promise<void> {
    const { store } = this.#deps;
    const { handOverId } = handOver;
    const placeholder = await this.placeholder(handOver);
    await this.#settle(handOver, placeholder);
    while (!this.#poller.isStopped && (await this.#keeps(handOver))) {
      const { users: found, lastUserId } = await store.nextUsers(handOver, this.#bounds.batch);
      if (lastUserId === undefined) {
        await this.#settle(handOver, placeholder);
        if (!this.#poller.isStopped && (await store.countSending(handOverId)) === 0)
          await store.finish(handOverId);
        return;
      }
      const users = await this.#recordSending(handOver, found);
      if (users.length >= this.#bounds.stageFrom) await this.#stage(handOver, users, placeholder);
      else await this.#sendSome(handOver, users, placeholder);
      // Users who still have the state `sending` are looked up in the core at the end.
      await store.advance(handOverId, lastUserId);
      await this.#advanced(handOver);
    }
  }

  /**
   * Records users as `sending`. Returns them as stored at that moment, with the factors and roles that the core
   * accepts.
   */
  async #recordSending(handOver: HandOver, users: readonly DepartingUser[]): Promise<DepartingUser[]> {
    const logins = users.flatMap((departing) => beforeSending(departing, handOver));
    const now = await this.#deps.store.recordSending(handOver.handOverId, users, logins);
    return withFactors(this.#deps, now);
  }

  async #sendSome(
    handOver: HandOver,
    users: readonly DepartingUser[],
    placeholder: Placeholder,
  ): Promise<void> {
    const { store, core } = this.#deps;
    for (let from = 0; from < users.length; from += AT_ONCE) {
      const some = users.slice(from, from + AT_ONCE);
      const { results, failure } = await someAtOnce(some, (user) =>
        sendUser(core, handOver, user, placeholder),
      );
      await store.record(handOver.handOverId, results.flat());
      if (failure !== undefined) throw failure;
      await this.#advanced(handOver);
      if (this.#poller.isStopped || !(await this.#keeps(handOver))) return;
    }
  }

  /** Adds users to the core's stage. #settle() finds out later which of them the core has created. */
  async #stage(handOver: HandOver, users: readonly DepartingUser[], placeholder: Placeholder): Promise<void> {
    const { store, core } = this.#deps;
    const { staged, refused } = await stageUsers(core, handOver, users, placeholder);
    await store.markStaged(staged.map(({ recipeUserId }) => recipeUserId));
    await store.record(handOver.handOverId, refused);
  }

  /**
   * Repeats until no user is in state `sending`. Once the core's stage is empty, users whom the core has are recorded.
   * The others are staged again if there are many of them, or sent one by one.
   */
  async #settle(handOver: HandOver, placeholder: Placeholder): Promise<void> {
    const { store, core } = this.#deps;
    // If the core's stage has made no progress, users are not staged again, but sent one by one.
    let mayStage = true;
    while (!this.#poller.isStopped && (await store.countSending(handOver.handOverId)) > 0) {
      const { failed, hasAdvanced } = await this.#emptyStage(handOver);
      const isStaged = await this.#settleOnce(handOver, { placeholder, failed, mayStage });
      if (this.#poller.isStopped || !(await this.#keeps(handOver))) return;
      if (!isStaged) {
        await store.forgetGone(handOver.handOverId);
        // The core's stage still lists the users whom the core could not create. #settleOnce() needs this
        // list to find out what became of a user, so the list is cleared last.
        await core.clearStage('failed');
        return;
      }
      mayStage = hasAdvanced;
    }
  }

  /**
   * Records the users in state `sending` who are in the core, and stages or sends the others again.
   * @returns whether users were staged again
   */
  async #settleOnce(
    handOver: HandOver,
    known: { placeholder: Placeholder; failed: ReadonlySet<string>; mayStage: boolean },
  ): Promise<boolean> {
    const { store, core } = this.#deps;
    const { handOverId } = handOver;
    let isStaged = false;
    let after: string | undefined;
    while (!this.#poller.isStopped && (await this.#keeps(handOver))) {
      const users = await store.sendingUsers(handOverId, after, this.#bounds.batch);
      after = users.at(-1)?.user.id;
      if (after === undefined) break;
      const { results, failure } = await someAtOnce(users, (user) => settleUser(core, handOver, user, known));
      await store.record(
        handOverId,
        results.flatMap(({ records }) => records),
      );
      if (failure !== undefined) throw failure;
      const unclear = results.flatMap((result) => result.unclear ?? []);
      const missing = await withFactors(
        this.#deps,
        results.flatMap((result) => result.missing ?? []),
      );
      if (known.mayStage && missing.length >= this.#bounds.stageFrom) {
        await this.#stage(handOver, missing, known.placeholder);
        isStaged = true;
      } else await this.#sendSome(handOver, missing, known.placeholder);
      await this.#sendSome(handOver, await withFactors(this.#deps, unclear), known.placeholder);
    }
    return isStaged;
  }

  /**
   * Waits until the core has created all staged users, or removes them from the stage if it makes no progress.
   * @returns ids of the users whom the core could not create, and whether the stage made progress
   */
  async #emptyStage(handOver: HandOver): Promise<{ failed: ReadonlySet<string>; hasAdvanced: boolean }> {
    const { core } = this.#deps;
    let hasAdvanced = false;
    let { waiting, failed: refused } = await core.countStaged();
    let left = waiting + refused;
    let since = performance.now();
    while (waiting > 0 && !this.#poller.isStopped && (await this.#keeps(handOver))) {
      await sleep(this.#bounds.lookMs);
      ({ waiting, failed: refused } = await core.countStaged());
      const now = waiting + refused;
      if (waiting === 0) hasAdvanced = true;
      if (now <= left * STAGE_PROGRESS) {
        [left, since, hasAdvanced] = [now, performance.now(), true];
      } else if (performance.now() - since > this.#bounds.stagePatienceMs) {
        const failed = await core.failedStaged();
        await core.clearStage('all');
        return { failed, hasAdvanced };
      }
    }
    return { failed: await core.failedStaged(), hasAdvanced };
  }

  async #undo(handOver: HandOver): Promise<void> {
    const { store } = this.#deps;
    const { handOverId } = handOver;
    const placeholder = await this.placeholder(handOver);
    // The core's stage is emptied first, because it would otherwise create users after the undo.
    if ((await store.countSending(handOverId)) > 0) await this.#emptyStage(handOver);
    while (!this.#poller.isStopped && (await this.#keeps(handOver))) {
      const users = await store.nextToUndo(handOverId, this.#bounds.batch);
      if (users.length === 0) {
        await store.finishUndo(handOverId);
        return;
      }
      const { results, failure } = await someAtOnce(users, (user) => undoUser(this.#deps, user, placeholder));
      if (failure !== undefined) throw failure;
      await this.#advanced(handOver);
      // First sign-ins have locked all users of this batch, so the worker waits a moment.
      if (!results.includes(true)) await sleep(this.#bounds.lookMs);
    }
  }

  /** Renews the reservation. Returns false if the hand-over has ended, or if another instance has reserved it. */
  async #keeps({ handOverId, undoStartedAtMs }: HandOver): Promise<boolean> {
    const claimed = await this.#deps.store.claim(this.#owner, CLAIM_MS);
    return claimed?.handOverId === handOverId && claimed.undoStartedAtMs === undoStartedAtMs;
  }
}

/**
 * Runs `work` for all items, AT_ONCE at the same time. After a failure, no further item is begun, and the running calls
 * are awaited.
 */
async function someAtOnce<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<{ results: Result[]; failure: unknown }> {
  const limit = new ConcurrencyLimit(AT_ONCE);
  const results: Result[] = [];
  let failure: unknown;
  const add = async (item: Item) => {
    if (failure === undefined) results.push(await work(item));
  };
  const fail = (error: unknown) => {
    failure ??= error;
  };
  await Promise.all(items.map((item) => limit.run(() => add(item)).catch(fail)));
  return { results, failure };
}

/**
 * Removes a user from the core. Meanwhile, first sign-ins are locked out, because they would set a password for a user
 * who is being removed.
 * @returns false if a first sign-in holds the lock
 */
async function undoUser(
  { core, store }: Pick<HandOverWorkerDeps, 'core' | 'store'>,
  { coreId, waiting, sending }: UserToUndo,
  placeholder: Placeholder,
): Promise<boolean> {
  const locked: string[] = [];
  try {
    for (const recipeUserId of waiting) {
      if (!(await store.lock(recipeUserId, LOCK_MS))) return false;
      locked.push(recipeUserId);
    }
    const outcome = await removeWaiting(core, coreId, placeholder);
    if (outcome === 'changed')
      for (const recipeUserId of waiting) await store.endWaiting(recipeUserId, 'changed');
    await store.forget([...waiting, ...sending]);
    return true;
  } finally {
    for (const recipeUserId of locked) await store.unlock(recipeUserId);
  }
}

/** Removes a user from the core, unless the password was changed there. `gone`: the core does not have the user. */
async function removeWaiting(
  core: CoreCalls,
  coreId: string,
  { password }: Placeholder,
): Promise<'removed' | 'gone' | 'changed'> {
  const there = await core.findUser(coreId);
  if (there === undefined) return 'gone';
  for (const { recipeId, email } of there.loginMethods) {
    if (recipeId !== 'emailpassword' || email === undefined) continue;
    const { outcome } = await core.signIn(email, password);
    if (outcome !== 'signed-in') continue;
    await core.removeUser(coreId);
    return 'removed';
  }
  return 'changed';
}
