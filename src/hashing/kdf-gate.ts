import { AppError } from '../lib/errors.ts';
import { FairLine } from './fair-line.ts';
import type { HashCost } from './verifier.ts';

export interface GateLimits {
  concurrency: number;
  memoryBytes: number;
  queueLimit: number;
}

/**
 * Time on the reference machine above which a hash counts as expensive. Careful systems use bcrypt up to cost
 * 13, which takes 400 ms and must count as ordinary. Cost 14 and the like are rare, and a few of them occupy
 * a whole machine.
 */
export const EXPENSIVE_MS = 500;

export const isExpensive = ({ ms }: Pick<HashCost, 'ms'>) => ms > EXPENSIVE_MS;

/**
 * Returns how many expensive hashes may be computed at once. Trials and background work have the same limit
 * each.
 */
export const expensivePlaces = (concurrency: number) => Math.max(1, Math.floor(concurrency / 2));

/** The native library of the sandbox process may crash, and then only one call fails. */
export const SANDBOX_PLACES = 1;

const CLASSES = ['ordinary', 'expensive', 'sandboxed', 'trial', 'background'] as const;
type WorkClass = (typeof CLASSES)[number];

/** Running and waiting now; started and refused since the service started. */
export type GateCounts = Record<WorkClass, ClassCounts>;

interface ClassCounts {
  running: number;
  waiting: number;
  started: number;
  refused: number;
}

interface Work {
  ms: number;
  memoryBytes: number;
  isExpensive: boolean;
  isSandboxed: boolean;
  isBackground: boolean;
  /**
   * Name of the caller's API key. Set only for trials: passwords tested against hashes that are not stored.
   */
  caller?: string | undefined;
  /** Account whose password is verified, known or not. Undefined for work that belongs to no account. */
  account?: string | undefined;
}

interface Call<T> extends Pick<Work, 'caller' | 'account'> {
  cost: HashCost;
  kdf: () => Promise<T>;
  signal: AbortSignal | undefined;
}

interface Waiting extends Work {
  /**
   * Position in the queue. Undefined while earlier work of the account waits, or until expensive or sandboxed
   * work has room.
   */
  ticket: number | undefined;
  start(): void;
  refuse(reason: unknown): void;
}

type Queue = FairLine<Waiting> | Set<Waiting>;

/**
 * Limits the key derivations that run at once, by number and by memory, and the number that wait. They run on
 * libuv's threads or in the hashing process, and would use up threads and memory.
 *
 * Order is first come, first served, so that small computations cannot overtake a large one for ever. There
 * are two exceptions. An account is in the line once: its next computation joins the line when the one before
 * starts, so many sign-ins to one costly account delay others by one. Expensive computations together may use
 * half of the places, the memory and the queue. While their half is in use, others overtake them, so an
 * ordinary computation never waits behind a row of expensive ones.
 *
 * Sandboxed computations have limits of their own: SANDBOX_PLACES, and half of the queue. If computations
 * that wait for the sandbox counted as running, others would wait while cores are idle.
 *
 * Trials test passwords against hashes that are not stored, or hash passwords that single imports bring. They
 * start only while nothing else waits, and may use half of the places and the memory. The caller who has used
 * the least reference time is next, so a caller with many or expensive trials delays neither sign-ins nor the
 * trials of others. Waiting trials take no room in the queue; each caller may have an eighth of its length.
 *
 * Background work makes hashes that no caller waits for. It starts only while the queue is empty, fewer than
 * half of the places are used, and half of the memory is free. It counts against the memory but not against
 * the places: it runs at the lowest priority, so computations that arrive meanwhile need not wait for it.
 */
export class KdfGate {
  readonly #limits: GateLimits;
  readonly #ordinary = new FairLine<Waiting>((waiting) => {
    waiting.ticket = this.#tickets++;
  });
  readonly #expensive = new FairLine<Waiting>();
  readonly #sandboxed = new FairLine<Waiting>();
  readonly #trials = new Set<Waiting>();
  /**
   * Virtual time in milliseconds, by API key, at which its next trial is due: the time its trials were
   * charged for.
   */
  readonly #dueMs = new Map<string, number>();
  /** Virtual time at which the trial that was started last was due. */
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
  readonly #counts = Object.fromEntries(
    CLASSES.map((name) => [name, { running: 0, waiting: 0, started: 0, refused: 0 }]),
  ) as GateCounts;

  constructor(limits: GateLimits) {
    this.#limits = limits;
  }

  /**
   * Runs `kdf` as soon as there is room for it.
   * @param account e-mail whose password is verified. One account gets as many turns as another
   * @throws {AppError} OVERLOADED if the queue is full, SHUTTING_DOWN if the gate is stopped before `kdf` has
   * started
   * @throws the signal's reason if the signal aborts before `kdf` has started
   */
  async run<T>(cost: HashCost, kdf: () => Promise<T>, signal?: AbortSignal, account?: string): Promise<T> {
    return this.#runFrom(this.#queueOf(workOf(cost, false)), { cost, kdf, signal, account });
  }

  /**
   * Computes a trial as soon as nothing else waits and it is the caller's turn.
   * @throws as `run`, and OVERLOADED if too many trials of this caller are waiting
   */
  async runTrial<T>(cost: HashCost, kdf: () => Promise<T>, caller: string, signal?: AbortSignal): Promise<T> {
    return this.#runFrom(this.#trials, { cost, kdf, signal, caller });
  }

  /**
   * Computes a hash as soon as few others are computed, which may be never. The caller must limit such calls.
   * @throws as `run`, except OVERLOADED
   */
  async runInBackground<T>(cost: HashCost, kdf: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    return this.#runFrom(this.#background, { cost, kdf, signal });
  }

  async #runFrom<T>(queue: Queue, { cost, kdf, signal, caller, account }: Call<T>): Promise<T> {
    const isBackground = queue === this.#background;
    const work = { ...workOf(cost, isBackground), caller, account };
    if (work.memoryBytes > this.#limits.memoryBytes) {
      throw new Error(
        `a hash needs ${work.memoryBytes} bytes, above the ${this.#limits.memoryBytes} for hashing`,
      );
    }
    signal?.throwIfAborted();
    if (this.#isStopped) throw shuttingDown();
    if (this.#canStart(queue, work)) this.#take(work, 1);
    else await this.#wait(queue, work, signal);
    try {
      return await kdf();
    } finally {
      this.#take(work, -1);
      this.#admit();
    }
  }

  /** Refuses all hash computations that wait, and all later ones. Running computations continue. */
  stop(): void {
    this.#isStopped = true;
    for (const queue of [this.#ordinary, this.#expensive, this.#sandboxed, this.#trials, this.#background]) {
      for (const waiting of [...queue]) waiting.refuse(shuttingDown());
    }
  }

  counts(): GateCounts {
    const queues = {
      ordinary: this.#ordinary,
      expensive: this.#expensive,
      sandboxed: this.#sandboxed,
      trial: this.#trials,
      background: this.#background,
    };
    return Object.fromEntries(
      CLASSES.map((name) => [name, { ...this.#counts[name], waiting: queues[name].size }]),
    ) as GateCounts;
  }

  #wait(queue: Queue, work: Work, signal: AbortSignal | undefined): Promise<void> {
    if (this.#isFull(queue, work)) {
      this.#counts[classOf(work)].refused += 1;
      throw new AppError('OVERLOADED', 'Service is overloaded: too many passwords are waiting to be checked');
    }
    return new Promise((resolve, reject) => {
      const leave = () => {
        waiting.refuse(signal?.reason);
        this.#admit();
      };
      const waiting: Waiting = {
        ...work,
        ticket: undefined,
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

  #isFull(queue: Queue, { caller, account }: Work): boolean {
    if (queue === this.#background) return false;
    const { queueLimit } = this.#limits;
    if (!(queue instanceof FairLine)) {
      return [...queue].filter((one) => one.caller === caller).length >= Math.ceil(queueLimit / 8);
    }
    const half = Math.ceil(queueLimit / 2);
    if (this.#inLine >= queueLimit || (queue !== this.#ordinary && queue.size >= half)) return true;
    return account !== undefined && queue.countOf(account) >= half;
  }

  #admit(): void {
    for (let next = this.#next(); next !== undefined && this.#fits(next.memoryBytes); next = this.#next()) {
      this.#start(next, this.#queueOf(next));
    }
    // A caller sends its next trial only when the previous one is answered. Trials are therefore started in a
    // later turn of the event loop, when the caller's next trial is in the queue, too.
    if (this.#trials.size > 0 && !this.#isAdmittingTrials) {
      this.#isAdmittingTrials = true;
      setImmediate(() => this.#admitTrials());
    }
    for (const waiting of this.#background) {
      if (!this.#canStartInBackground(waiting)) return;
      this.#start(waiting, this.#background);
    }
  }

  #admitTrials(): void {
    this.#isAdmittingTrials = false;
    for (let next = this.#nextTrial(); next && this.#canStartTrial(next); next = this.#nextTrial()) {
      this.#start(next, this.#trials);
    }
  }

  #nextTrial(): Waiting | undefined {
    return [...this.#trials].reduce<Waiting | undefined>(
      (next, one) => (next === undefined || this.#dueOf(one) < this.#dueOf(next) ? one : next),
      undefined,
    );
  }

  /** A caller gets no credit for a pause in which it sent no trials. */
  #dueOf({ caller = '' }: Work): number {
    return Math.max(this.#dueMs.get(caller) ?? 0, this.#virtualMs);
  }

  #start(waiting: Waiting, queue: Queue): void {
    queue.delete(waiting);
    this.#take(waiting, 1);
    waiting.start();
  }

  #next(): Waiting | undefined {
    let { first } = this.#ordinary;
    for (const { first: waiting } of [this.#expensive, this.#sandboxed]) {
      if (waiting === undefined || !this.#hasShare(waiting)) continue;
      waiting.ticket ??= this.#tickets++;
      if (first?.ticket === undefined || waiting.ticket < first.ticket) first = waiting;
    }
    return first;
  }

  /** Returns whether there is room, and the new work overtakes nobody that it must wait for. */
  #canStart(queue: Queue, work: Work): boolean {
    if (queue === this.#background) return queue.size === 0 && this.#canStartInBackground(work);
    if (queue === this.#trials) return queue.size === 0 && this.#canStartTrial(work);
    if (queue !== this.#ordinary && (queue.size > 0 || !this.#hasShare(work))) return false;
    return this.#next() === undefined && this.#fits(work.memoryBytes);
  }

  /** A trial that needs more than half of the memory starts only if no other computation runs. */
  #canStartTrial(work: Work): boolean {
    const { memoryBytes } = work;
    const { concurrency, memoryBytes: budget } = this.#limits;
    if (this.#inLine > 0 || !this.#fits(memoryBytes) || !this.#hasShare(work)) return false;
    if (this.#running === 0) return true;
    return this.#runningTrials < expensivePlaces(concurrency) && this.#trialBytes + memoryBytes <= budget / 2;
  }

  #canStartInBackground({ memoryBytes }: Work): boolean {
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

  #queueOf({ isSandboxed, isExpensive }: Work): FairLine<Waiting> {
    if (isSandboxed) return this.#sandboxed;
    return isExpensive ? this.#expensive : this.#ordinary;
  }

  /**
   * Needing more than half of the memory, an expensive computation starts when no other expensive one runs.
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

  #take(work: Work, sign: 1 | -1): void {
    const { ms, memoryBytes, isExpensive, isSandboxed, isBackground, caller } = work;
    const counts = this.#counts[classOf(work)];
    counts.running += sign;
    if (sign === 1) counts.started += 1;
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

function classOf({ isBackground, caller, isSandboxed, isExpensive }: Work): WorkClass {
  if (isBackground) return 'background';
  if (caller !== undefined) return 'trial';
  if (isSandboxed) return 'sandboxed';
  return isExpensive ? 'expensive' : 'ordinary';
}

const workOf = (cost: HashCost, isBackground: boolean): Work => ({
  ms: cost.ms,
  memoryBytes: cost.memoryBytes,
  isExpensive: !isBackground && isExpensive(cost),
  isSandboxed: !isBackground && cost.runsOn === 'sandbox',
  isBackground,
});

export const shuttingDown = () =>
  new AppError(
    'SHUTTING_DOWN',
    'The service is stopping. Send the request again; another instance may answer it.',
  );
