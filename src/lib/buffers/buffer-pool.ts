/** Something with memory of its own, which a buffer pool keeps ready. */
export interface Reusable {
  /** In bytes. */
  readonly capacity: number;
  clear(): void;
}

/** Maximum number of bytes that a pool keeps. Further buffers are left to the garbage collector. */
const MAX_BYTES = 4 * 1024 * 1024;

/**
 * Memory to use again. Most of what a bulk import holds for longer than a moment lies in such memory: garbage collection
 * was a third of its work before (docs/adr/0008-bulk-writes.md).
 */
export class BufferPool<T extends Reusable> {
  readonly #make: () => T;
  readonly #ready: T[] = [];
  /** Remembers what was given back: an item that is given back twice would have two owners. */
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

  /** Takes an item back; its owner must never look at it again. @throws {Error} when it was given back before */
  give(item: T): void {
    if (this.#given.has(item)) throw new Error('it was given back already');
    this.#given.add(item);
    if (this.#bytes + item.capacity > MAX_BYTES) return;
    item.clear();
    this.#bytes += item.capacity;
    this.#ready.push(item);
  }
}
