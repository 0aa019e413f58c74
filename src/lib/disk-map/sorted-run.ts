import { BloomFilter } from './bloom-filter.ts';
import { ENTRY_BYTES, highOf, lowOf, offsetOf, writeEntry } from './entries.ts';
import { ScratchFile } from './scratch-file.ts';

/** Number of index entries that a search reads from disk at a time. */
const BLOCK_ENTRIES = 64;
const BLOCK_BYTES = BLOCK_ENTRIES * ENTRY_BYTES;

/** File of entries, sorted by the high word of their hash. Searching needs 1.5 bytes of memory per entry. */
export class SortedRun {
  readonly #file: ScratchFile;
  readonly #filter: BloomFilter;
  /** High word of the hash of the first entry in each block. */
  readonly #firsts: Uint32Array;
  readonly count: number;
  readonly #found = Buffer.allocUnsafe(BLOCK_BYTES);

  private constructor(file: ScratchFile, filter: BloomFilter, firsts: Uint32Array, count: number) {
    this.#file = file;
    this.#filter = filter;
    this.#firsts = firsts;
    this.count = count;
  }

  /** @param sorted yields blocks of whole entries, in order */
  static write(directory: string, count: number, sorted: Iterable<Buffer>): SortedRun {
    const file = new ScratchFile(directory);
    const filter = new BloomFilter(count);
    const firsts = new Uint32Array(Math.ceil(count / BLOCK_ENTRIES));
    let index = 0;
    for (const block of sorted) {
      for (let at = 0; at < block.length; at += ENTRY_BYTES) {
        filter.add(highOf(block, at), lowOf(block, at));
        if (index % BLOCK_ENTRIES === 0) firsts[index / BLOCK_ENTRIES] = highOf(block, at);
        index += 1;
      }
      file.append(block);
    }
    return new SortedRun(file, filter, firsts, count);
  }

  find(high: number, low: number, found: number[]): void {
    if (!this.#filter.mayHave(high, low)) return;
    for (let block = this.#blockBefore(high); block < this.#firsts.length; block += 1) {
      const first = this.#firsts[block] ?? 0;
      if (first > high) return;
      const entries = this.#read(block, this.#found);
      for (let at = 0; at < entries.length; at += ENTRY_BYTES) {
        if (highOf(entries, at) === high && lowOf(entries, at) === low) found.push(offsetOf(entries, at));
      }
    }
  }

  *blocks(): Generator<Buffer> {
    for (let block = 0; block < this.#firsts.length; block += 1)
      yield this.#read(block, Buffer.allocUnsafe(BLOCK_BYTES));
  }

  close(): void {
    this.#file.close();
  }

  /** Returns the last block whose first hash is lower. The hash may occur at the end of that block. */
  #blockBefore(high: number): number {
    let low = 0;
    let top = this.#firsts.length;
    while (low < top) {
      const middle = (low + top) >>> 1;
      if ((this.#firsts[middle] ?? 0) < high) low = middle + 1;
      else top = middle;
    }
    return Math.max(0, low - 1);
  }

  #read(block: number, entries: Buffer): Buffer {
    return entries.subarray(0, this.#file.read(entries, block * BLOCK_BYTES));
  }
}

export function mergeRuns(directory: string, runs: readonly SortedRun[]): SortedRun {
  const count = runs.reduce((sum, run) => sum + run.count, 0);
  return SortedRun.write(directory, count, merged(runs));
}

class Cursor {
  readonly #blocks: Generator<Buffer>;
  entries: Buffer = Buffer.alloc(0);
  at = 0;
  /** High word of the next entry's hash. Undefined at the end of the file. */
  high: number | undefined;

  constructor(run: SortedRun) {
    this.#blocks = run.blocks();
    this.#settle();
  }

  next(): void {
    this.at += ENTRY_BYTES;
    this.#settle();
  }

  #settle(): void {
    if (this.at >= this.entries.length) {
      const { value, done } = this.#blocks.next();
      this.entries = done ? Buffer.alloc(0) : value;
      this.at = 0;
    }
    this.high = this.entries.length === 0 ? undefined : highOf(this.entries, this.at);
  }
}

function* merged(runs: readonly SortedRun[]): Generator<Buffer> {
  const cursors = runs.map((run) => new Cursor(run));
  const block = Buffer.allocUnsafe(BLOCK_BYTES);
  let filled = 0;
  for (let least = leastOf(cursors); least !== undefined; least = leastOf(cursors)) {
    const { entries, at } = least;
    writeEntry(block, filled, highOf(entries, at), lowOf(entries, at), offsetOf(entries, at));
    filled += ENTRY_BYTES;
    least.next();
    if (filled === BLOCK_BYTES) {
      yield block;
      filled = 0;
    }
  }
  if (filled > 0) yield block.subarray(0, filled);
}

function leastOf(cursors: readonly Cursor[]): Cursor | undefined {
  let least: Cursor | undefined;
  for (const cursor of cursors) {
    if (cursor.high !== undefined && (least?.high === undefined || cursor.high < least.high)) least = cursor;
  }
  return least;
}
