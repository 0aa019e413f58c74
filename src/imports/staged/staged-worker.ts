import type { Passwords } from '../../hashing/passwords.ts';
import type { BulkPace } from '../bulk-pace.ts';
import { HashSample } from '../resolve/hash-sample.ts';
import type { WriteSet } from '../resolve/write-set.ts';
import { processStaged } from './resolve-staged.ts';
import type { StagedStore } from './staged-store.ts';

export interface StagedWorkerDeps {
  staged: StagedStore;
  passwords: Passwords;
  now(): number;
  pace: BulkPace;
  /**
   * How long after it last looked it looks again, give or take a fifth: for users whom another instance staged, or left
   * behind.
   */
  pollMs: number;
  onError(error: unknown): void;
}

/**
 * Imports staged users, a batch at a time, on the instance it is started on. Any number of workers may share a database
 * (docs/adr/0011-staged-import.md).
 */
export class StagedWorker {
  readonly #deps: StagedWorkerDeps;
  #round: Promise<void> | undefined;
  #isAsked = false;
  #polls = false;
  #isStopped = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(deps: StagedWorkerDeps) {
    this.#deps = deps;
  }

  /** Looks now, and from then on again and again. */
  start(): void {
    this.#polls = true;
    this.wake();
  }

  /** Looks now, or again as soon as it is done with what it is doing. */
  wake(): void {
    if (this.#isStopped) return;
    this.#isAsked = true;
    this.#round ??= this.#work();
  }

  /** Resolves when it has done all that it could find. */
  async idle(): Promise<void> {
    this.wake();
    await this.#round;
  }

  /** Finishes the batch at work, and begins no other. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#round;
  }

  async #work(): Promise<void> {
    clearTimeout(this.#timer);
    while (this.#isAsked && !this.#isStopped) {
      this.#isAsked = false;
      await this.#drain().catch(this.#deps.onError);
    }
    this.#round = undefined;
    if (this.#polls && !this.#isStopped) {
      const pollMs = this.#deps.pollMs * (0.8 + Math.random() * 0.4);
      this.#timer = setTimeout(() => this.wake(), pollMs).unref();
    }
  }

  async #drain(): Promise<void> {
    const { staged, passwords, now, pace, onError } = this.#deps;
    const deps = { registry: passwords.registry, now };
    while (!this.#isStopped) {
      const batch = await pace.step(() => staged.processNext((users) => processStaged(deps, users)));
      if (batch === undefined) return;
      if ('writeSet' in batch) {
        this.#learn(batch.writeSet);
      } else {
        onError(batch.error);
        if (batch.isPassing) return;
      }
    }
  }

  #learn({ passwordLogins }: WriteSet): void {
    const sample = new HashSample();
    sample.add(passwordLogins);
    for (const { hash, count } of sample.drawn) this.#deps.passwords.learn(hash, count);
  }
}
