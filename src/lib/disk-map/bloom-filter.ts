const PROBES = 4;
const BITS_PER_ENTRY = 10;
const WORDS = 2 ** 32;

/**
 * Spares a lookup most reads of the disk. mayHave() returns true for all hashes in the set, and for about one
 * of a hundred others.
 */
export class BloomFilter {
  readonly #bits: Uint32Array;
  /** Number of bits. A power of two could double the memory of large sets. */
  readonly #count: number;

  constructor(entries: number) {
    this.#bits = new Uint32Array(Math.ceil((Math.max(entries, 32) * BITS_PER_ENTRY) / 32));
    this.#count = this.#bits.length * 32;
  }

  add(high: number, low: number): void {
    for (let probe = 0; probe < PROBES; probe += 1) {
      const bit = this.#bitOf(high, low, probe);
      const word = Math.floor(bit / 32);
      this.#bits[word] = (this.#bits[word] ?? 0) | (1 << (bit % 32));
    }
  }

  mayHave(high: number, low: number): boolean {
    for (let probe = 0; probe < PROBES; probe += 1) {
      const bit = this.#bitOf(high, low, probe);
      if (((this.#bits[Math.floor(bit / 32)] ?? 0) & (1 << (bit % 32))) === 0) return false;
    }
    return true;
  }

  #bitOf(high: number, low: number, probe: number): number {
    return Math.floor((((low + Math.imul(probe, high | 1)) >>> 0) / WORDS) * this.#count);
  }
}
