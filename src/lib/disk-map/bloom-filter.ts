const PROBES = 4;
const BITS_PER_ENTRY = 10;

/** Tells what is surely not in a set. One in a hundred of what it lets pass is not in there either. */
export class BloomFilter {
  readonly #bits: Uint32Array;
  readonly #mask: number;

  constructor(entries: number) {
    const bits = 2 ** Math.ceil(Math.log2(Math.max(entries, 32) * BITS_PER_ENTRY));
    this.#bits = new Uint32Array(bits / 32);
    this.#mask = bits - 1;
  }

  add(high: number, low: number): void {
    for (let probe = 0; probe < PROBES; probe += 1) {
      const bit = (low + Math.imul(probe, high | 1)) & this.#mask;
      const word = bit >>> 5;
      this.#bits[word] = (this.#bits[word] ?? 0) | (1 << (bit & 31));
    }
  }

  mayHave(high: number, low: number): boolean {
    for (let probe = 0; probe < PROBES; probe += 1) {
      const bit = (low + Math.imul(probe, high | 1)) & this.#mask;
      if (((this.#bits[bit >>> 5] ?? 0) & (1 << (bit & 31))) === 0) return false;
    }
    return true;
  }
}
