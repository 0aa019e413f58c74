/** Concatenates bytes in a buffer that grows and can be used again. */
export class ByteBuilder {
  #memory = Buffer.alloc(0);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  get capacity(): number {
    return this.#memory.length;
  }

  add(bytes: Uint8Array): void {
    this.#makeRoom(bytes.length);
    this.#memory.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  addText(text: string, encoding: 'utf8' | 'latin1'): void {
    this.#makeRoom(Buffer.byteLength(text, encoding));
    this.#length += this.#memory.write(text, this.#length, encoding);
  }

  /** Returns the bytes without copying them. They change when the builder is cleared and used again. */
  bytes(): Buffer {
    return this.#memory.subarray(0, this.#length);
  }

  clear(): void {
    this.#length = 0;
  }

  #makeRoom(bytes: number): void {
    const needed = this.#length + bytes;
    if (needed <= this.#memory.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, Math.ceil(1.5 * this.#memory.length)));
    larger.set(this.bytes());
    this.#memory = larger;
  }
}

export interface Reusable {
  readonly capacity: number;
  clear(): void;
}

/** Maximum number of bytes that a pool keeps. Further buffers are left to the garbage collector. */
const MAX_BYTES = 4 * 1024 * 1024;

/**
 * Keeps buffers for reuse. Without them, garbage collection took a third of the time of a bulk import
 * (docs/adr/0036-memory-of-bulk-imports.md).
 */
export class BufferPool<T extends Reusable> {
  readonly #make: () => T;
  readonly #ready: T[] = [];
  /** Items that were given back. An item that is given back twice would get two owners. */
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

  /**
   * Takes an item back. Its user must not use it any more.
   * @throws {Error} if it was given back before
   */
  give(item: T): void {
    if (this.#given.has(item)) throw new Error('it was given back already');
    this.#given.add(item);
    if (this.#bytes + item.capacity > MAX_BYTES) return;
    item.clear();
    this.#bytes += item.capacity;
    this.#ready.push(item);
  }
}
