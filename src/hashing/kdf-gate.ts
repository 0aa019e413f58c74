import { AppError } from '../lib/errors.ts';
import type { HashCost } from './verifier.ts';

export interface GateLimits {
  /** Most computations at once. */
  concurrency: number;
  /** Most memory they may take together, in bytes. */
  memoryBytes: number;
  /** Most computations that may wait. */
  queueLimit: number;
}

/**
 * A hash that takes longer than this, by the reference, is expensive. Careful systems use bcrypt up to cost 13, which takes 400 ms:
 * those users are ordinary ones. Cost 14 and its like are rare, and a few of them fill a machine.
 */
export const EXPENSIVE_MS = 500;

export const isExpensive = ({ ms }: Pick<HashCost, 'ms'>) => ms > EXPENSIVE_MS;

/** Returns how many expensive computations may run at once, how many trials, and how many in the background: half of all, but one at least. */
export const expensivePlaces = (concurrency: number) => Math.max(1, Math.floor(concurrency / 2));

/** How many hashes the sandbox computes at once: a crash of its library is the error of one caller. */
export const SANDBOX_PLACES = 1;

interface Work {
  /** What the work costs by the reference table. */
  ms: number;
  memoryBytes: number;
  /** Takes of the share of expensive ones. */
  isExpensive: boolean;
  /** Computed in the sandbox, so it takes one of its places. */
  isSandboxed: boolean;
  isBackground: boolean;
  /** The caller of a trial. */
  caller?: string | undefined;
}

interface Waiting extends Work {
  /** Its place in line. An expensive or sandboxed one gets it when there is room in its share, and has none before. */
  ticket: number | undefined;
  start(): void;
  refuse(reason: unknown): void;
}

/**
 * Bounds how many key derivations run at once, by number and by memory, and how many may wait. They run on libuv's
 * threads or in the hashing process: without bounds they would use up those and the machine's memory.
 *
 * First come, first served, so that one that needs much memory is not overtaken for ever by small ones. Expensive ones are the
 * exception: together they have half of the places, the memory and the queue. While that half is taken, other computations
 * pass them; they get in line when there is room in it. So an ordinary computation never waits behind a row of expensive ones.
 *
 * Sandboxed computations have a share of their own: as many places as the sandbox computes at once, and half of the queue. If those that
 * wait for the sandbox held places, others would wait for them while cores are idle.
 *
 * Trials are what callers try out on hashes that nobody keeps. They begin only while nobody else is in line, and have half of the places
 * and of the memory. The caller who has had the least time, by the reference, is next: one who sends many or expensive ones delays neither
 * sign-ins nor the trials of others. Waiting trials take no room in the queue. One caller may have an eighth as many of them as the queue holds.
 *
 * Work in the background, whose result nobody waits for, begins only while nobody is in line and more than half of the places and
 * half of the memory are free. It takes memory and no place: it is computed at the lowest priority, so whoever comes while it runs
 * need not wait for it, which may be long.
 */
export class KdfGate {
  readonly #limits: GateLimits;
  readonly #ordinary = new Set<Waiting>();
  readonly #expensive = new Set<Waiting>();
  readonly #sandboxed = new Set<Waiting>();
  readonly #trials = new Set<Waiting>();
  /** When the next trial of each caller is due, in ms of the trials' virtual time. There are as many callers as API keys. */
  readonly #dueMs = new Map<string, number>();
  /** Virtual time: when the trial that began last was due. */
  #virtualMs = 0;
  #isAdmittingTrials = false;
  readonly #background = new Set<Waiting>();
  #tickets = 0;
  #running = 0;
  #runningExpensive = 0;
  #runningSandboxed = 0;
  #runningTrials = 0;
  #runningBackground = 0;
  #expensiveBytes = 0;
  #trialBytes = 0;
  #memoryBytes = 0;
  #isStopped = false;

  constructor(limits: GateLimits) {
    this.#limits = limits;
  }

  /**
   * Runs `kdf` when there is room for it.
   * @throws {AppError} OVERLOADED when the queue is full, SHUTTING_DOWN when the gate is stopped before `kdf` has begun
   * @throws the signal's reason when it aborts before `kdf` has begun
   */
  async run<T>(cost: HashCost, kdf: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    return this.#runFrom(this.#queueOf(workOf(cost, false)), cost, kdf, signal);
  }

  /**
   * Runs a trial of a caller when nobody else waits and it is the caller's turn.
   * @throws as `run`; OVERLOADED when too many trials of this caller wait
   */
  async runTrial<T>(cost: HashCost, kdf: () => Promise<T>, caller: string, signal?: AbortSignal): Promise<T> {
    return this.#runFrom(this.#trials, cost, kdf, signal, caller);
  }

  /**
   * Runs `kdf` when the gate is quiet, which may be never. The caller bounds how many wait so.
   * @throws as `run`, but for OVERLOADED
   */
  async runInBackground<T>(cost: HashCost, kdf: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    return this.#runFrom(this.#background, cost, kdf, signal);
  }

  async #runFrom<T>(
    queue: Set<Waiting>,
    cost: HashCost,
    kdf: () => Promise<T>,
    signal: AbortSignal | undefined,
    caller?: string,
  ): Promise<T> {
    const isBackground = queue === this.#background;
    const work = { ...workOf(cost, isBackground), caller };
    if (work.memoryBytes > this.#limits.memoryBytes) {
      throw new Error(
        `a hash needs ${work.memoryBytes} bytes, above the ${this.#limits.memoryBytes} for hashing`,
      );
    }
    signal?.throwIfAborted();
    if (this.#isStopped) throw shuttingDown();
    if (this.#isFree(queue, work)) this.#take(work, 1);
    else await this.#wait(queue, work, signal);
    try {
      return await kdf();
    } finally {
      this.#take(work, -1);
      this.#admit();
    }
  }

  /** Refuses those that wait and all that come later. What has begun goes on. */
  stop(): void {
    this.#isStopped = true;
    for (const queue of [this.#ordinary, this.#expensive, this.#sandboxed, this.#trials, this.#background]) {
      for (const waiting of [...queue]) waiting.refuse(shuttingDown());
    }
  }

  #wait(queue: Set<Waiting>, work: Work, signal: AbortSignal | undefined): Promise<void> {
    if (this.#isFull(queue, work)) {
      throw new AppError('OVERLOADED', 'Service is overloaded: too many passwords wait to be checked');
    }
    return new Promise((resolve, reject) => {
      const leave = () => {
        waiting.refuse(signal?.reason);
        this.#admit();
      };
      const waiting: Waiting = {
        ...work,
        ticket: queue === this.#ordinary ? this.#tickets++ : undefined,
        start() {
          signal?.removeEventListener('abort', leave);
          resolve();
        },
        refuse(reason) {
          signal?.removeEventListener('abort', leave);
          queue.delete(waiting);
          reject(reason);
        },
      };
      queue.add(waiting);
      signal?.addEventListener('abort', leave, { once: true });
    });
  }

  #isFull(queue: Set<Waiting>, { caller }: Work): boolean {
    if (queue === this.#background) return false;
    const { queueLimit } = this.#limits;
    if (queue === this.#trials) {
      return [...queue].filter((one) => one.caller === caller).length >= Math.ceil(queueLimit / 8);
    }
    return (
      this.#inLine >= queueLimit || (queue !== this.#ordinary && queue.size >= Math.ceil(queueLimit / 2))
    );
  }

  /** Starts those that are next in line, as long as there is room. */
  #admit(): void {
    for (let next = this.#next(); next !== undefined && this.#fits(next.memoryBytes); next = this.#next()) {
      this.#start(next, this.#queueOf(next));
    }
    // A caller's next trial comes when the one before is answered. It has to be in line before the next caller is chosen.
    if (this.#trials.size > 0 && !this.#isAdmittingTrials) {
      this.#isAdmittingTrials = true;
      setImmediate(() => this.#admitTrials());
    }
    for (const waiting of this.#background) {
      if (!this.#isQuietFor(waiting)) return;
      this.#start(waiting, this.#background);
    }
  }

  #admitTrials(): void {
    this.#isAdmittingTrials = false;
    for (let next = this.#nextTrial(); next && this.#isQuietForTrial(next); next = this.#nextTrial()) {
      this.#start(next, this.#trials);
    }
  }

  /** Returns the trial that is due first. */
  #nextTrial(): Waiting | undefined {
    return [...this.#trials].reduce<Waiting | undefined>(
      (next, one) => (next === undefined || this.#dueOf(one) < this.#dueOf(next) ? one : next),
      undefined,
    );
  }

  /** Returns when a trial of this caller is due. A caller who sent nothing for a while has saved up nothing. */
  #dueOf({ caller = '' }: Work): number {
    return Math.max(this.#dueMs.get(caller) ?? 0, this.#virtualMs);
  }

  #start(waiting: Waiting, queue: Set<Waiting>): void {
    queue.delete(waiting);
    this.#take(waiting, 1);
    waiting.start();
  }

  /** Returns who is first in line. */
  #next(): Waiting | undefined {
    let [first] = this.#ordinary;
    for (const [waiting] of [this.#expensive, this.#sandboxed]) {
      if (waiting === undefined || !this.#hasShare(waiting)) continue;
      waiting.ticket ??= this.#tickets++;
      if (first?.ticket === undefined || waiting.ticket < first.ticket) first = waiting;
    }
    return first;
  }

  /** May one that comes now begin? There must be room, and nobody waiting whom it may not pass. */
  #isFree(queue: Set<Waiting>, work: Work): boolean {
    if (queue === this.#background) return queue.size === 0 && this.#isQuietFor(work);
    if (queue === this.#trials) return queue.size === 0 && this.#isQuietForTrial(work);
    if (queue !== this.#ordinary && (queue.size > 0 || !this.#hasShare(work))) return false;
    return this.#next() === undefined && this.#fits(work.memoryBytes);
  }

  /** May this trial begin? One that needs more than half of the memory runs when nothing else does. */
  #isQuietForTrial(work: Work): boolean {
    const { memoryBytes } = work;
    const { concurrency, memoryBytes: budget } = this.#limits;
    if (this.#inLine > 0 || !this.#fits(memoryBytes) || !this.#hasShare(work)) return false;
    if (this.#running === 0) return true;
    return this.#runningTrials < expensivePlaces(concurrency) && this.#trialBytes + memoryBytes <= budget / 2;
  }

  /** May this begin in the background? */
  #isQuietFor({ memoryBytes }: Work): boolean {
    const { concurrency, memoryBytes: budget } = this.#limits;
    return (
      this.#inLine + this.#trials.size === 0 &&
      this.#running < concurrency / 2 &&
      this.#runningBackground < expensivePlaces(concurrency) &&
      this.#memoryBytes <= budget / 2 &&
      this.#memoryBytes + memoryBytes <= budget
    );
  }

  get #inLine(): number {
    return this.#ordinary.size + this.#expensive.size + this.#sandboxed.size;
  }

  #queueOf({ isSandboxed, isExpensive }: Work): Set<Waiting> {
    if (isSandboxed) return this.#sandboxed;
    return isExpensive ? this.#expensive : this.#ordinary;
  }

  /**
   * Do others of its share leave room for one more? An expensive one that needs more than half of the memory runs when no other
   * expensive one does.
   */
  #hasShare({ memoryBytes, isExpensive, isSandboxed }: Work): boolean {
    if (isSandboxed && this.#runningSandboxed >= SANDBOX_PLACES) return false;
    if (!isExpensive || this.#runningExpensive === 0) return true;
    return (
      this.#runningExpensive < expensivePlaces(this.#limits.concurrency) &&
      this.#expensiveBytes + memoryBytes <= this.#limits.memoryBytes / 2
    );
  }

  #fits(memoryBytes: number): boolean {
    return (
      this.#running < this.#limits.concurrency && this.#memoryBytes + memoryBytes <= this.#limits.memoryBytes
    );
  }

  /** Takes a place and the memory, or gives them back where `sign` is -1. */
  #take(work: Work, sign: 1 | -1): void {
    const { ms, memoryBytes, isExpensive, isSandboxed, isBackground, caller } = work;
    if (isBackground) this.#runningBackground += sign;
    else this.#running += sign;
    this.#memoryBytes += sign * memoryBytes;
    if (isSandboxed) this.#runningSandboxed += sign;
    if (caller !== undefined) {
      if (sign === 1) {
        this.#virtualMs = this.#dueOf(work);
        this.#dueMs.set(caller, this.#virtualMs + ms);
      }
      this.#runningTrials += sign;
      this.#trialBytes += sign * memoryBytes;
    }
    if (!isExpensive) return;
    this.#runningExpensive += sign;
    this.#expensiveBytes += sign * memoryBytes;
  }
}

const workOf = (cost: HashCost, isBackground: boolean): Work => ({
  ms: cost.ms,
  memoryBytes: cost.memoryBytes,
  isExpensive: !isBackground && isExpensive(cost),
  isSandboxed: !isBackground && cost.runsOn === 'sandbox',
  isBackground,
});

export const shuttingDown = () =>
  new AppError('SHUTTING_DOWN', 'The service is stopping: send this again, another instance may answer');
