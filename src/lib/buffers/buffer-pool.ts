export interface Reusable {
  readonly capacity: number;
  clear(): void;
}

/** Bytes that a pool keeps. Further buffers are left to the garbage collector. */
const MAX_BYTES = 4 * 1024 * 1024;

/**
 * Keeps buffers for reuse. Without them, garbage collection took a third of the time of a bulk import
 * (docs/adr/0036-memory-of-bulk-imports.md).
 */
export class BufferPool<T extends Reusable> {
  readonly #make: () => T;
  readonly #ready: T[] = [];
  /** Items in the pool. If one could be returned twice, two owners would get it. */
  readonly #given = new WeakSet<T>();
  #bytes = 0;

  constructor(make: () => T) {
    this.#make = make;
  }

  take(): T {
    const item = this.#ready.pop();
    if (item === undefined) return this.#make();
    this.#bytes -= item.capacity;
    this.#given.delete(item);
    return item;
  }

  /** Takes an item back, which its user must not use any more. @throws {Error} if it was returned before */
  give(item: T): void {
    if (this.#given.has(item)) throw new Error('it was given back already');
    this.#given.add(item);
    if (this.#bytes + item.capacity > MAX_BYTES) return;
    item.clear();
    this.#bytes += item.capacity;
    this.#ready.push(item);
  }
}
