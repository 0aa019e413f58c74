import { AppError } from '../errors.ts';

export interface GateLimits {
  /** Most computations at once. */
  concurrency: number;
  /** Most memory they may take together, in bytes. */
  memoryBytes: number;
  /** Most computations that may wait. */
  queueLimit: number;
}

interface Waiting {
  memoryBytes: number;
  start(): void;
}

/**
 * Bounds how many key derivations run at once, by number and by memory, and how many may wait.
 * They run on libuv's threads, so the event loop never waits for one; the bound keeps those threads,
 * and the machine's memory, from being used up by them. First come, first served: one that needs much
 * memory is not overtaken for ever by small ones.
 */
export class KdfGate {
  readonly #limits: GateLimits;
  readonly #queue = new Set<Waiting>();
  #running = 0;
  #memoryBytes = 0;

  constructor(limits: GateLimits) {
    this.#limits = limits;
  }

  /**
   * Runs `kdf` when there is room for it.
   * @throws {AppError} OVERLOADED when the queue is full
   * @throws the signal's reason when it aborts before `kdf` has begun
   */
  async run<T>(memoryBytes: number, kdf: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    if (memoryBytes > this.#limits.memoryBytes) {
      throw new Error(`a hash needs ${memoryBytes} bytes, above the ${this.#limits.memoryBytes} for hashing`);
    }
    signal?.throwIfAborted();
    if (this.#queue.size > 0 || !this.#fits(memoryBytes)) await this.#wait(memoryBytes, signal);
    else this.#enter(memoryBytes);
    try {
      return await kdf();
    } finally {
      this.#running -= 1;
      this.#memoryBytes -= memoryBytes;
      this.#admit();
    }
  }

  #wait(memoryBytes: number, signal: AbortSignal | undefined): Promise<void> {
    if (this.#queue.size >= this.#limits.queueLimit) {
      throw new AppError('OVERLOADED', 'Service is overloaded: too many passwords wait to be checked');
    }
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#queue.delete(waiting);
        reject(signal?.reason);
        this.#admit();
      };
      const waiting: Waiting = {
        memoryBytes,
        start: () => {
          signal?.removeEventListener('abort', leave);
          resolve();
        },
      };
      this.#queue.add(waiting);
      signal?.addEventListener('abort', leave, { once: true });
    });
  }

  /** Lets in whoever is first in line, as long as there is room. */
  #admit(): void {
    for (const waiting of this.#queue) {
      if (!this.#fits(waiting.memoryBytes)) return;
      this.#queue.delete(waiting);
      this.#enter(waiting.memoryBytes);
      waiting.start();
    }
  }

  #fits(memoryBytes: number): boolean {
    return (
      this.#running < this.#limits.concurrency && this.#memoryBytes + memoryBytes <= this.#limits.memoryBytes
    );
  }

  #enter(memoryBytes: number): void {
    this.#running += 1;
    this.#memoryBytes += memoryBytes;
  }
}
