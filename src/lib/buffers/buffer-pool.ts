/** What a pool keeps ready. */
export interface Reusable {
  /** In bytes. */
  readonly capacity: number;
  clear(): void;
}

/** Most bytes that a pool keeps ready. */
const MAX_BYTES = 4 * 1024 * 1024;

/**
 * Memory to use again. Most of what a bulk import holds for longer than a moment lies in such memory, which leaves the
 * garbage collector alone: it was a third of the work (docs/adr/0008-bulk-writes.md).
 */
export class BufferPool<T extends Reusable> {
  readonly #make: () => T;
  readonly #ready: T[] = [];
  /** Whoever still used what was given back would write over what another holds by now. */
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

  /** Whoever gives it back must never look at it again. @throws {Error} when it was given back before */
  give(item: T): void {
    if (this.#given.has(item)) throw new Error('it was given back already');
    this.#given.add(item);
    if (this.#bytes + item.capacity > MAX_BYTES) return;
    item.clear();
    this.#bytes += item.capacity;
    this.#ready.push(item);
  }
}
