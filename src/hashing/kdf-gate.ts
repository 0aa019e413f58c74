import { AppError } from '../lib/errors.ts';
import type { HashCost } from './form.ts';

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
 * Maximum reference time of a quick computation. Its thread would often wait for the event loop to bring the next one.
 * If all running computations are quick, twice as many may start as there are places. The surplus waits in libuv's
 * queue, for so short a time that it delays files and DNS little.
 */
const QUICK_MS = 5;

const isQuick = ({ ms }: Pick<HashCost, 'ms'>) => ms <= QUICK_MS;

/**
 * Returns how many expensive hashes may be computed at once. Trials and background work have the same limit
 * each.
 */
export const expensivePlaces = (concurrency: number) => Math.max(1, Math.floor(concurrency / 2));

/** Classes of work. The first two are those of `run`. They share the queue, and all other work waits for them. */
const CLASSES = ['ordinary', 'expensive', 'trial', 'background'] as const;
type WorkClass = (typeof CLASSES)[number];

/** Counts of each class: `running` and `waiting` now, `started` and `refused` since the service started. */
export type GateCounts = Record<WorkClass, Record<'running' | 'waiting' | 'started' | 'refused', number>>;

interface Work extends HashCost {
  workClass: WorkClass;
  /**
   * Account whose password is verified, known or not; for trials the name of the caller's API key. Undefined
   * for work that belongs to nobody.
   */
  owner: string | undefined;
  /**
   * Number that orders ordinary and expensive work. Expensive work has none until it is first in its line and
   * may run beside other expensive work.
   */
  ticket?: number;
  /** `start` and `refuse` end the wait of work. Undefined if the work started when it arrived. */
  start?: () => void;
  refuse?: (reason: unknown) => void;
}

/** Waiting work of one owner, in the order of arrival. The owner has only one turn, which belongs to the first work. */
type Turn = Set<Work>;

/** Turns in their order, by owner. Work that belongs to nobody has a turn of its own. */
class Line extends Map<string | Work, Turn> {
  /**
   * Iterator that has returned `#first`, and continues after it. A new iterator would pass over all turns that were
   * deleted before: with 100,000 in line, that takes longer than a cheap hash.
   */
  readonly #turns = this.values();
  #first: Turn | undefined;

  /** The work whose turn is next. */
  get first(): Work | undefined {
    if (this.size > 0) this.#first ??= this.#turns.next().value;
    return this.#first && firstOf(this.#first);
  }

  override delete(owner: string | Work): boolean {
    if (this.#first === this.get(owner)) this.#first = undefined;
    return super.delete(owner);
  }
}

const firstOf = (turn: Turn): Work | undefined => turn.values().next().value;

/**
 * Limits the key derivations that run at once, by number and by memory, and the number that wait. They run on libuv's
 * threads or in hashing processes. Without limits, they would use up threads and memory.
 *
 * Order is first come, first served, so that small computations cannot overtake a large one for ever. There are two
 * exceptions. An account has only one turn: its next computation joins the end of the line when the one before starts,
 * so many sign-ins to one costly account delay those to another by one. Expensive computations together may use half of
 * the places, the memory and the queue. While their half is in use, others overtake them, so an ordinary computation
 * never waits behind a row of expensive ones.
 *
 * Trials test passwords against hashes that are not stored, or hash passwords that single imports bring. They start
 * only while nothing else waits, and may use half of the places and the memory. The caller who has used the least
 * reference time is next, so a caller with many or expensive trials delays neither sign-ins nor the trials of others.
 * Waiting trials take no room in the queue; each caller may have an eighth of its length.
 *
 * Background work makes hashes that no caller waits for. It starts only while nothing else waits, fewer than half of
 * the places are used, and half of the memory is free. It counts against the memory but not against the places: it runs
 * at the lowest priority, so computations that arrive meanwhile need not wait for it.
 */
export class KdfGate {
  readonly #limits: GateLimits;
  readonly #lines = ofEachClass(() => new Line());
  readonly #counts: GateCounts = ofEachClass(() => ({ running: 0, waiting: 0, started: 0, refused: 0 }));
  readonly #running = new Set<Work>();
  #tickets = 0;
  /**
   * Virtual time in milliseconds, by API key, at which its next trial is due. Each trial moves it on by its reference
   * time.
   */
  readonly #dueMs = new Map<string | undefined, number>();
  /** Virtual time at which the trial that was started last was due. */
  #virtualMs = 0;
  #isStopped = false;

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
    const workClass = isExpensive(cost) ? 'expensive' : 'ordinary';
    return this.#run({ ...cost, workClass, owner: account }, kdf, signal);
  }

  /**
   * Computes a trial as soon as nothing else waits and it is the caller's turn.
   * @throws as `run`, and OVERLOADED if too many trials of this caller are waiting
   */
  async runTrial<T>(cost: HashCost, kdf: () => Promise<T>, caller: string, signal?: AbortSignal): Promise<T> {
    return this.#run({ ...cost, workClass: 'trial', owner: caller }, kdf, signal);
  }

  /**
   * Computes a hash as soon as few others are computed, which may be never. The caller must limit such calls.
   * @throws as `run`, except OVERLOADED
   */
  async runInBackground<T>(cost: HashCost, kdf: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    return this.#run({ ...cost, workClass: 'background', owner: undefined }, kdf, signal);
  }

  /** Refuses all hash computations that wait, and all later ones. Running computations continue. */
  stop(): void {
    this.#isStopped = true;
    const turns = Object.values(this.#lines).flatMap((line) => [...line.values()]);
    for (const work of turns.flatMap((turn) => [...turn])) work.refuse?.(shuttingDown());
  }

  counts(): GateCounts {
    return structuredClone(this.#counts);
  }

  async #run<T>(work: Work, kdf: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    if (work.memoryBytes > this.#limits.memoryBytes) {
      throw new Error(
        `a hash needs ${work.memoryBytes} bytes, above the ${this.#limits.memoryBytes} for hashing`,
      );
    }
    signal?.throwIfAborted();
    if (this.#isStopped) throw shuttingDown();
    this.#join(work);
    this.#admit(work.workClass === 'trial' && this.#counts.trial.waiting === 1);
    if (!this.#running.has(work)) await this.#wait(work, signal);
    try {
      return await kdf();
    } finally {
      this.#running.delete(work);
      this.#counts[work.workClass].running -= 1;
      this.#admitWaiting();
    }
  }

  /** Adds work to its line: behind earlier work of its owner, or at the end. */
  #join(work: Work): void {
    this.#counts[work.workClass].waiting += 1;
    const turn = this.#lines[work.workClass].get(work.owner ?? work);
    if (turn === undefined) this.#addTurn(new Set([work]));
    else turn.add(work);
  }

  #addTurn(turn: Turn): void {
    const work = firstOf(turn);
    if (work === undefined) return;
    if (work.workClass === 'ordinary') work.ticket = this.#tickets++;
    this.#lines[work.workClass].set(work.owner ?? work, turn);
  }

  /** Removes work from its line. If it was next, later work of the owner joins the end of the line. */
  #leave(work: Work): void {
    this.#counts[work.workClass].waiting -= 1;
    const line = this.#lines[work.workClass];
    const turn: Turn = line.get(work.owner ?? work) ?? new Set();
    const wasNext = firstOf(turn) === work;
    turn.delete(work);
    if (!wasNext) return;
    line.delete(work.owner ?? work);
    this.#addTurn(turn);
  }

  #wait(work: Work, signal: AbortSignal | undefined): Promise<void> {
    if (this.#isOverfull(work)) {
      this.#leave(work);
      this.#counts[work.workClass].refused += 1;
      throw new AppError('OVERLOADED', 'Service is overloaded: too many passwords are waiting to be checked');
    }
    return new Promise((resolve, reject) => {
      const abort = () => {
        work.refuse?.(signal?.reason);
        this.#admitWaiting();
      };
      work.start = () => {
        signal?.removeEventListener('abort', abort);
        resolve();
      };
      work.refuse = (reason) => {
        signal?.removeEventListener('abort', abort);
        this.#leave(work);
        reject(reason);
      };
      signal?.addEventListener('abort', abort, { once: true });
    });
  }

  /** Returns whether too many wait in the line that the work has just joined. */
  #isOverfull({ workClass, owner }: Work): boolean {
    if (workClass === 'background') return false;
    const { queueLimit } = this.#limits;
    const ofOwner = owner === undefined ? 0 : (this.#lines[workClass].get(owner)?.size ?? 0);
    if (workClass === 'trial') return ofOwner > Math.ceil(queueLimit / 8);
    const half = Math.ceil(queueLimit / 2);
    const ofHalf = workClass === 'ordinary' ? ofOwner : this.#counts.expensive.waiting;
    return this.#foregroundWaiting > queueLimit || ofHalf > half;
  }

  get #foregroundWaiting(): number {
    return this.#counts.ordinary.waiting + this.#counts.expensive.waiting;
  }

  /** Admits waiting work after a place or memory has become free, or after work has left its line. */
  #admitWaiting(): void {
    this.#admit(false);
    // A caller sends its next trial only when the previous one is answered. Trials are therefore started in a
    // later turn of the event loop, when the caller's next trial is in the line, too.
    if (this.#counts.trial.waiting > 0) setImmediate(() => this.#admit(true));
  }

  #admit(areTrialsDue: boolean): void {
    for (;;) {
      const next = this.#next(areTrialsDue);
      if (next === undefined || !this.#hasRoom(next)) return;
      this.#leave(next);
      this.#running.add(next);
      this.#counts[next.workClass].running += 1;
      this.#counts[next.workClass].started += 1;
      if (next.workClass === 'trial') {
        this.#virtualMs = this.#dueOf(next);
        this.#dueMs.set(next.owner, this.#virtualMs + next.ms);
      }
      next.start?.();
    }
  }

  /** Returns the work to start as soon as there is room for it. All later work waits for it. */
  #next(areTrialsDue: boolean): Work | undefined {
    if (this.#foregroundWaiting > 0) return this.#nextInForeground();
    if (this.#counts.trial.waiting > 0) return areTrialsDue ? this.#nextTrial() : undefined;
    return this.#lines.background.first;
  }

  #nextInForeground(): Work | undefined {
    const [ordinary, expensive] = [this.#lines.ordinary.first, this.#lines.expensive.first];
    if (expensive === undefined || !this.#hasShare(expensive)) return ordinary;
    expensive.ticket ??= this.#tickets++;
    return ordinary?.ticket !== undefined && ordinary.ticket < expensive.ticket ? ordinary : expensive;
  }

  #nextTrial(): Work | undefined {
    const works = [...this.#lines.trial.values()].flatMap((turn) => firstOf(turn) ?? []);
    return works.reduce((next, work) => (this.#dueOf(work) < this.#dueOf(next) ? work : next));
  }

  /** Returns the virtual time at which a trial is due. A caller gains nothing by a pause in which it sent no trials. */
  #dueOf({ owner }: Work): number {
    return Math.max(this.#dueMs.get(owner) ?? 0, this.#virtualMs);
  }

  /** Returns whether places and memory suffice for the work, no matter who else waits. */
  #hasRoom(work: Work): boolean {
    const { concurrency, memoryBytes: budget } = this.#limits;
    const { background } = this.#counts;
    const places = this.#running.size - background.running;
    const usedBytes = bytesOf([...this.#running]);
    if (usedBytes + work.memoryBytes > budget) return false;
    if (work.workClass === 'background') {
      const half = expensivePlaces(concurrency);
      return places < concurrency / 2 && background.running < half && usedBytes <= budget / 2;
    }
    const atMost = isQuick(work) && [...this.#running].every(isQuick) ? 2 * concurrency : concurrency;
    if (places >= atMost || !this.#hasShare(work)) return false;
    // A trial that needs more than half of the memory starts only if no other computation runs.
    return work.workClass !== 'trial' || places === 0 || this.#isInHalf(work, this.#runningOf(isTrial));
  }

  /**
   * Returns whether expensive work may start beside other expensive work. If it needs more than half of the memory,
   * it starts when no other expensive work runs.
   */
  #hasShare(work: Work): boolean {
    if (!isCostly(work)) return true;
    const others = this.#runningOf(isCostly);
    return others.length === 0 || this.#isInHalf(work, others);
  }

  #runningOf(isOne: (work: Work) => boolean): Work[] {
    return [...this.#running].filter(isOne);
  }

  /** Returns whether the work and the others take at most half of the places and of the memory. */
  #isInHalf({ memoryBytes }: Work, others: Work[]): boolean {
    const { concurrency, memoryBytes: budget } = this.#limits;
    return others.length < expensivePlaces(concurrency) && bytesOf(others) + memoryBytes <= budget / 2;
  }
}

const ofEachClass = <Value>(make: () => Value) =>
  Object.fromEntries(CLASSES.map((name) => [name, make()])) as Record<WorkClass, Value>;

const isTrial = ({ workClass }: Work) => workClass === 'trial';

/** Returns whether work counts as expensive. Background work never does, because it has limits of its own. */
const isCostly = (work: Work) => work.workClass !== 'background' && isExpensive(work);

const bytesOf = (works: readonly Work[]) => works.reduce((bytes, work) => bytes + work.memoryBytes, 0);

export const shuttingDown = () =>
  new AppError(
    'SHUTTING_DOWN',
    'The service is stopping. Send the request again; another instance may answer it.',
  );
