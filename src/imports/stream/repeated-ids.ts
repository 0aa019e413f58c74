/**
 * Number of hash tables. While a table grows, the process does nothing else. With this many small tables, each growth
 * takes some milliseconds at most.
 */
const TABLES = 256;
const SLOTS_OF_A_TABLE = 64;

/**
 * Finds the lines of a run that have an external id of an earlier line, even if the earlier line failed
 * (docs/adr/0054-one-line-for-each-external-id.md). Each id takes 11 to 22 bytes.
 */
export class RepeatedIds {
  readonly #seed = randomSeed();
  readonly #tables = new Map<number, Fingerprints>();
  #nextLine = 1;
  /**
   * Numbers of lines that repeat an id. They are kept until their chunk is done, because a line may be read several
   * times.
   */
  readonly #repeated = new Set<number>();

  /**
   * Returns whether an earlier line has one of the external ids. The first time, lines must be passed in order,
   * including blank lines. A line that is passed again has the same result.
   */
  isRepeat(line: number, externalIds: readonly string[]): boolean {
    if (line < this.#nextLine) return this.#repeated.has(line);
    if (line > this.#nextLine) throw new Error('lines are read out of order');
    this.#nextLine += 1;
    let isRepeat = false;
    // A line may state an id twice: for the user and for the primary login method.
    for (const id of externalIds.length > 1 ? new Set(externalIds) : externalIds)
      if (!this.#add(id)) isRepeat = true;
    if (isRepeat) this.#repeated.add(line);
    return isRepeat;
  }

  /** Forgets the results of lines that will not be read again. */
  forget(firstLine: number, nextLine: number): void {
    for (const line of this.#repeated) if (line >= firstLine && line < nextLine) this.#repeated.delete(line);
  }

  #add(id: string): boolean {
    const index = tableOf(id);
    let table = this.#tables.get(index);
    if (table === undefined) {
      table = new Fingerprints(this.#seed, SLOTS_OF_A_TABLE);
      this.#tables.set(index, table);
    }
    return table.add(0, id);
  }
}

/**
 * Returns the index of the table for an id. Numbers, UUIDs, names and addresses are spread evenly. If many ids share a
 * table, only its growth takes longer.
 */
function tableOf(id: string): number {
  const { length } = id;
  const first = id.charCodeAt(0) + 7 * id.charCodeAt(length >> 2);
  return (first + 31 * id.charCodeAt(length >> 1) + 17 * id.charCodeAt(length - 1) + length) % TABLES;
}

/** Initial number of slots, which is enough for the e-mails and ids of most chunks. */
const SLOTS = 4096;

/** Secret seed of this process for hash tables, so that nobody can choose texts that collide. */
type FingerprintSeed = readonly [high: number, low: number];

export function randomSeed(): FingerprintSeed {
  const [high = 0, low = 0] = crypto.getRandomValues(new Uint32Array(2));
  return [high, low];
}

/**
 * Set of texts in one typed array, so that the garbage collector has nothing to visit. Two texts collide with
 * a probability below 2^-50, which users of the set must tolerate.
 */
export class Fingerprints {
  readonly #seedHigh: number;
  readonly #seedLow: number;
  /** Open-addressing hash table of word pairs. A low word of zero marks a free slot. */
  #table: Uint32Array;
  #size = 0;
  #hasRepeats = false;

  /** @param slots initial number of slots, a power of two */
  constructor([high, low]: FingerprintSeed, slots = SLOTS) {
    this.#table = new Uint32Array(2 * slots);
    this.#seedHigh = high;
    this.#seedLow = low;
  }

  get hasRepeats(): boolean {
    return this.#hasRepeats;
  }

  /**
   * Returns whether the text is new.
   * @param kind namespace of the text: the same text under two kinds counts as two texts
   */
  add(kind: number, text: string): boolean {
    // Two FNV-1a hashes (http://www.isthe.com/chongo/tech/comp/fnv/) with different multipliers.
    let high = Math.imul(this.#seedHigh ^ kind, 0x01000193);
    let low = Math.imul(this.#seedLow ^ kind, 0x85ebca6b);
    for (let index = 0; index < text.length; index += 1) {
      const unit = text.charCodeAt(index);
      high = Math.imul(high ^ unit, 0x01000193);
      low = Math.imul(low ^ unit, 0x85ebca6b);
    }
    return this.#put(mix(high), mix(low) || 1);
  }

  /** Returns whether the other fingerprints, which have the same seed, have a text of these. */
  overlaps(other: Fingerprints): boolean {
    const table = this.#table;
    for (let at = 0; at < table.length; at += 2) {
      const low = table[at + 1] as number;
      if (low !== 0 && other.#table[other.#find(table[at] as number, low) + 1] !== 0) return true;
    }
    return false;
  }

  #put(high: number, low: number): boolean {
    const at = this.#find(high, low);
    if (this.#table[at + 1] !== 0) {
      this.#hasRepeats = true;
      return false;
    }
    this.#table[at] = high;
    this.#table[at + 1] = low;
    this.#size += 1;
    if (this.#size * 8 > this.#table.length * 3) this.#grow();
    return true;
  }

  /** Returns the position of the pair of words in the table, or of the free slot for it. */
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

/** Final mixing step of MurmurHash3 (https://github.com/aappleby/smhasher). */
function mix(word: number): number {
  let mixed = Math.imul(word ^ (word >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
