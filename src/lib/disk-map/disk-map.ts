import { randomInt } from 'node:crypto';
import { ENTRY_BYTES, hashText, writeEntry } from './entries.ts';
import { ScratchFile } from './scratch-file.ts';
import { mergeRuns, SortedRun } from './sorted-run.ts';

/** Index entries in memory. When they reach this number, they are written to disk as a sorted file. */
const CAPACITY = 2 ** 15;
const RUNS_PER_MERGE = 8;
/** Bytes of keys and values that are written to disk at a time. */
const SPILL_BYTES = 256 * 1024;
/** Bytes that a lookup reads first. Most records are smaller. */
const FIRST_READ_BYTES = 512;
/** A record begins with the lengths of its key and value, 32 bits each. */
const LENGTHS = 8;
/** Entries that are always kept, so that different keys with the same hash do not displace each other. */
const MIN_KEPT_PER_HASH = 64;

export interface DiskMapOptions {
  directory: string;
  /**
   * Maximum number of values that a lookup returns; few more are stored. Otherwise, one user with ten million
   * rows would use up all memory, and every row that refers to that user would take long to look up.
   */
  maxValues?: number;
  capacity?: number;
}

/**
 * Map of keys to several texts each, on disk. Memory is constant except for 1.5 bytes per text. Reads and
 * writes are synchronous: a lookup takes a microsecond if nothing is found, else a few microseconds.
 */
export class DiskMap {
  readonly #directory: string;
  readonly #maxValues: number;
  readonly #capacity: number;
  /** Random seed, so that nobody can choose keys whose hashes collide. */
  readonly #seed = randomInt(2 ** 32);
  readonly #words = new Uint32Array(2);
  #spill: ScratchFile | undefined;
  /** Keys and values that are not written to disk yet. */
  readonly #block = Buffer.allocUnsafe(SPILL_BYTES);
  #filled = 0;
  readonly #firstRead = Buffer.allocUnsafe(FIRST_READ_BYTES);
  /**
   * Sort keys of the entries in memory: each is the high word of the hash, followed by the entry's index.
   * `#lows` and `#offsets` hold the low word of the hash and the offset of the record, by index.
   */
  readonly #sortable: BigUint64Array;
  readonly #halves: Uint32Array;
  readonly #lows: Uint32Array;
  readonly #offsets: Float64Array;
  /**
   * Hash table of the entries in memory. A slot holds the newest entry whose hash ends with the bits of the
   * slot's number, and `#before` the next older entry of the slot. Both hold index + 1, and 0 for no entry.
   */
  readonly #slots: Uint32Array;
  readonly #before: Uint32Array;
  /** Number of older entries in memory with the same hash. */
  readonly #earlier: Uint32Array;
  #count = 0;
  #runs: SortedRun[] = [];

  constructor({ directory, maxValues = 1000, capacity = CAPACITY }: DiskMapOptions) {
    this.#directory = directory;
    this.#maxValues = maxValues;
    this.#capacity = capacity;
    this.#sortable = new BigUint64Array(capacity);
    this.#halves = new Uint32Array(this.#sortable.buffer);
    this.#lows = new Uint32Array(capacity);
    this.#offsets = new Float64Array(capacity);
    this.#slots = new Uint32Array(2 ** Math.ceil(Math.log2(capacity)));
    this.#before = new Uint32Array(capacity);
    this.#earlier = new Uint32Array(capacity);
  }

  add(key: string, value: string): void {
    if (this.#count === this.#capacity) this.#flushEntries();
    hashText(key, this.#seed, this.#words);
    const [high = 0, low = 0] = this.#words;
    const earlier = this.#countOf(high, low);
    if (earlier >= Math.max(this.#maxValues, MIN_KEPT_PER_HASH)) return;
    const index = this.#count;
    this.#earlier[index] = earlier;
    this.#halves[2 * index] = index;
    this.#halves[2 * index + 1] = high;
    this.#lows[index] = low;
    this.#offsets[index] = this.#append(key, value);
    this.#count += 1;
    const slot = low & (this.#slots.length - 1);
    this.#before[index] = this.#slots[slot] ?? 0;
    this.#slots[slot] = index + 1;
  }

  /** Returns the texts in the order in which they were added, at most `maxValues`. */
  find(key: string): string[] {
    hashText(key, this.#seed, this.#words);
    const [high = 0, low = 0] = this.#words;
    const offsets: number[] = [];
    for (const run of this.#runs) run.find(high, low, offsets);
    let at = this.#slots[low & (this.#slots.length - 1)] ?? 0;
    for (; at !== 0; at = this.#before[at - 1] ?? 0) {
      if (this.#lows[at - 1] === low && this.#halves[2 * at - 1] === high)
        offsets.push(this.#offsets[at - 1] ?? 0);
    }
    if (offsets.length === 0) return [];
    offsets.sort((a, b) => a - b);
    return offsets.slice(0, this.#maxValues).flatMap((offset) => this.#valueAt(offset, key) ?? []);
  }

  #countOf(high: number, low: number): number {
    let at = this.#slots[low & (this.#slots.length - 1)] ?? 0;
    for (; at !== 0; at = this.#before[at - 1] ?? 0)
      if (this.#lows[at - 1] === low && this.#halves[2 * at - 1] === high)
        return (this.#earlier[at - 1] ?? 0) + 1;
    return 0;
  }

  close(): void {
    this.#spill?.close();
    this.#spill = undefined;
    for (const run of this.#runs) run.close();
    this.#runs = [];
  }

  #append(key: string, value: string): number {
    const most = LENGTHS + 3 * (key.length + value.length);
    if (most > SPILL_BYTES - this.#filled) this.#flushRecords();
    const offset = (this.#spill?.size ?? 0) + this.#filled;
    if (most > SPILL_BYTES) {
      this.#file().append(record(key, value));
      return offset;
    }
    const start = this.#filled;
    const keyBytes = this.#block.write(key, start + LENGTHS);
    const valueBytes = this.#block.write(value, start + LENGTHS + keyBytes);
    this.#block.writeUInt32LE(keyBytes, start);
    this.#block.writeUInt32LE(valueBytes, start + 4);
    this.#filled += LENGTHS + keyBytes + valueBytes;
    return offset;
  }

  /** Returns undefined if the record is that of another key with the same hash. */
  #valueAt(offset: number, key: string): string | undefined {
    const onDisk = this.#spill?.size ?? 0;
    const bytes =
      offset >= onDisk ? this.#block.subarray(offset - onDisk, this.#filled) : this.#readRecord(offset);
    const keyEnd = LENGTHS + bytes.readUInt32LE(0);
    if (bytes.toString('utf8', LENGTHS, keyEnd) !== key) return undefined;
    return bytes.toString('utf8', keyEnd, keyEnd + bytes.readUInt32LE(4));
  }

  #readRecord(offset: number): Buffer {
    const file = this.#file();
    const read = this.#firstRead.subarray(0, file.read(this.#firstRead, offset));
    const size = LENGTHS + read.readUInt32LE(0) + read.readUInt32LE(4);
    if (size <= read.length) return read;
    const whole = Buffer.allocUnsafe(size);
    file.read(whole, offset);
    return whole;
  }

  #file(): ScratchFile {
    this.#spill ??= new ScratchFile(this.#directory);
    return this.#spill;
  }

  #flushRecords(): void {
    if (this.#filled === 0) return;
    this.#file().append(this.#block.subarray(0, this.#filled));
    this.#filled = 0;
  }

  #flushEntries(): void {
    this.#runs.push(SortedRun.write(this.#directory, this.#count, this.#sorted()));
    this.#count = 0;
    this.#slots.fill(0);
    this.#compact();
  }

  /** Merges the newest files while RUNS_PER_MERGE of them have the same size. */
  #compact(): void {
    for (;;) {
      const last = this.#runs.slice(-RUNS_PER_MERGE);
      const size = last[0]?.count ?? 0;
      if (last.length < RUNS_PER_MERGE || last.some(({ count }) => count !== size)) return;
      const one = mergeRuns(this.#directory, last);
      for (const run of last) run.close();
      this.#runs.splice(-RUNS_PER_MERGE, RUNS_PER_MERGE, one);
    }
  }

  *#sorted(): Generator<Buffer> {
    this.#sortable.subarray(0, this.#count).sort();
    const entries = Buffer.allocUnsafe(4096 * ENTRY_BYTES);
    let filled = 0;
    for (let position = 0; position < this.#count; position += 1) {
      const index = this.#halves[2 * position] ?? 0;
      const high = this.#halves[2 * position + 1] ?? 0;
      writeEntry(entries, filled, high, this.#lows[index] ?? 0, this.#offsets[index] ?? 0);
      filled += ENTRY_BYTES;
      if (filled === entries.length) {
        yield entries;
        filled = 0;
      }
    }
    if (filled > 0) yield entries.subarray(0, filled);
  }
}

function record(key: string, value: string): Buffer {
  const lengths = Buffer.alloc(LENGTHS);
  lengths.writeUInt32LE(Buffer.byteLength(key), 0);
  lengths.writeUInt32LE(Buffer.byteLength(value), 4);
  return Buffer.concat([lengths, Buffer.from(key), Buffer.from(value)]);
}
