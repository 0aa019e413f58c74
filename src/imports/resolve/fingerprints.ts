/** Slots of a new table: enough for the logins of most chunks. */
const SLOTS = 4096;

/** Secret of this process, so that nobody can choose texts that collide in one slot. */
export type FingerprintSeed = readonly [high: number, low: number];

export function randomSeed(): FingerprintSeed {
  const [high = 0, low = 0] = crypto.getRandomValues(new Uint32Array(2));
  return [high, low];
}

/**
 * A set of texts that keeps two words of each text, and nothing that the garbage collector would have to visit. Two
 * different texts pass for one less than once in 2^50 pairs: only for uses where that does no harm. Sets are compared with
 * sets of the same seed.
 */
export class Fingerprints {
  readonly #seedHigh: number;
  readonly #seedLow: number;
  /** Pairs of words, zeros where a slot is free. The number of slots is a power of two. */
  #table = new Uint32Array(2 * SLOTS);
  #size = 0;
  #hasRepeats = false;

  constructor([high, low]: FingerprintSeed) {
    this.#seedHigh = high;
    this.#seedLow = low;
  }

  /** Was a text added twice? */
  get hasRepeats(): boolean {
    return this.#hasRepeats;
  }

  /** @param kind the same text under two kinds is two texts */
  add(kind: number, text: string): void {
    // Two runs of FNV-1a (http://www.isthe.com/chongo/tech/comp/fnv/), with different multipliers.
    let high = Math.imul(this.#seedHigh ^ kind, 0x01000193);
    let low = Math.imul(this.#seedLow ^ kind, 0x85ebca6b);
    for (let index = 0; index < text.length; index += 1) {
      const unit = text.charCodeAt(index);
      high = Math.imul(high ^ unit, 0x01000193);
      low = Math.imul(low ^ unit, 0x85ebca6b);
    }
    // Zero marks a free slot.
    this.#put(mix(high), mix(low) || 1);
  }

  overlaps(other: Fingerprints): boolean {
    const [small, large] = this.#size < other.#size ? [this, other] : [other, this];
    const table = small.#table;
    for (let at = 0; at < table.length; at += 2) {
      const low = table[at + 1] as number;
      if (low !== 0 && large.#table[large.#find(table[at] as number, low) + 1] === low) return true;
    }
    return false;
  }

  #put(high: number, low: number): void {
    const at = this.#find(high, low);
    if (this.#table[at + 1] !== 0) {
      this.#hasRepeats = true;
      return;
    }
    this.#table[at] = high;
    this.#table[at + 1] = low;
    this.#size += 1;
    // At three quarters of the slots.
    if (this.#size * 8 > this.#table.length * 3) this.#grow();
  }

  /** Returns the slot of the pair, or the free slot where it would go. */
  #find(high: number, low: number): number {
    const table = this.#table;
    const mask = table.length - 1;
    let at = (low << 1) & mask;
    while (table[at + 1] !== 0 && (table[at] !== high || table[at + 1] !== low)) at = (at + 2) & mask;
    return at;
  }

  #grow(): void {
    const before = this.#table;
    this.#table = new Uint32Array(2 * before.length);
    this.#size = 0;
    for (let at = 0; at < before.length; at += 2) {
      const low = before[at + 1] as number;
      if (low !== 0) this.#put(before[at] as number, low);
    }
  }
}

/**
 * Spreads the differences of words over all their bits: the last step of MurmurHash3
 * (https://github.com/aappleby/smhasher).
 */
function mix(word: number): number {
  let mixed = Math.imul(word ^ (word >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
