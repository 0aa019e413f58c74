import { StringDecoder } from 'node:string_decoder';
import {
  type BadRecord,
  type ContainerName,
  isBadRecord,
  type RecordBatch,
  type SourceRecord,
  type TableHead,
} from './table.ts';

/** Number of records held for each table until it is known whether the import needs the table. */
const MAX_HELD_RECORDS = 20;
/** Maximum number of records held for a table if some of them cannot be read. */
const MAX_HELD_ENTRIES = 1000;
const MAX_HELD_BYTES = 1024 * 1024;
/** Maximum size of the records held for all tables of a file together. */
const MAX_HEADS_BYTES = 16 * 1024 * 1024;
/** Size up to which the first record of a table is always held, even if other tables have used up `MAX_HEADS_BYTES`. */
const MAX_SMALL_BYTES = 64 * 1024;

/** Properties of a table that its reader knows after the first records. */
export type TableDescription = Partial<TableHead> & Pick<TableHead, 'columns'>;

export type HeldOptions = readonly [
  /** Describes the table by its first records. Returns undefined if there is no table. */
  describe: (first: readonly SourceRecord[]) => TableDescription | undefined,
  wanted: (table: TableHead) => boolean,
  /** Counts the bytes that are held for all tables of a file. */
  all?: { heldBytes: number },
];

/**
 * Holds the first records of a table until `wanted` says whether the import needs the table, and then passes them on.
 */
export class HeldTable {
  isUnwanted = false;
  #head: TableHead | undefined;
  #held: readonly (SourceRecord | BadRecord)[] = [];
  #good: SourceRecord[] = [];
  #heldBytes = 0;
  #rows = 0;
  readonly #container: ContainerName;
  readonly #describe: HeldOptions[0];
  readonly #wanted: HeldOptions[1];
  readonly #all: { heldBytes: number };

  constructor(container: ContainerName, ...[describe, wanted, all = { heldBytes: 0 }]: HeldOptions) {
    this.#container = container;
    this.#describe = describe;
    this.#wanted = wanted;
    this.#all = all;
  }

  /**
   * Adds records, and returns the batches that are ready to be passed on.
   * @param sizeBytes size of all these records in the file
   */
  add(records: readonly (SourceRecord | BadRecord)[], sizeBytes: number): readonly RecordBatch[] {
    if (records.length === 0 || this.isUnwanted) return [];
    if (this.#head !== undefined) return [this.#batch(this.#head, records)];
    this.#held = this.#held.concat(records);
    for (const record of records) if (!isBadRecord(record)) this.#good.push(record);
    this.#heldBytes += sizeBytes;
    this.#all.heldBytes += sizeBytes;
    const isFull =
      this.#good.length >= MAX_HELD_RECORDS ||
      this.#held.length >= MAX_HELD_ENTRIES ||
      this.#heldBytes >= MAX_HELD_BYTES ||
      this.#all.heldBytes >= MAX_HEADS_BYTES;
    return isFull ? this.finish() : [];
  }

  /** Decides whether the table is wanted, if that is not known yet, and returns the batches held so far. */
  finish(): readonly RecordBatch[] {
    if (this.#head !== undefined) return [];
    const each = this.#heldBytes / this.#held.length;
    this.#all.heldBytes -= this.#heldBytes;
    const fitting = Math.floor((MAX_HEADS_BYTES - this.#all.heldBytes) / each);
    const count = Math.max(fitting, each <= MAX_SMALL_BYTES ? 1 : 0);
    const first = this.#good.slice(0, Math.min(count, MAX_HELD_RECORDS));
    this.#all.heldBytes += first.length * (each || 0);
    const described = this.#describe(first);
    if (described === undefined) return [];
    const head = { container: this.#container, name: '', root: {}, first, ...described };
    this.#head = head;
    this.isUnwanted = !this.#wanted(head);
    const held = this.#held;
    this.#held = [];
    this.#good = [];
    return this.isUnwanted || held.length === 0 ? [] : [this.#batch(head, held)];
  }

  #batch(table: TableHead, records: readonly (SourceRecord | BadRecord)[]): RecordBatch {
    const firstRow = this.#rows + 1;
    this.#rows += records.length;
    return { table, firstRow, records };
  }
}

export const membersOf = (records: readonly SourceRecord[]): ReadonlySet<string> =>
  new Set(records.flatMap((record) => Object.keys(record)));

/** Reads the records of an export file that contains a single table, block by block. */
export interface RowReader {
  /**
   * Returns the records that end in this block of the file, or all remaining ones if `isLast`.
   * @param isWanted false if the import does not need the records. The block is then only checked
   * @throws FileProblem if the block makes the whole file invalid, whether the table is wanted or not
   */
  push(block: string, isLast: boolean, isWanted: boolean): (SourceRecord | BadRecord)[];
  /** Describes the table by its first records. Returns undefined if the file contains no table. */
  describe(first: readonly SourceRecord[]): TableDescription | undefined;
}

/** Reads a file with one table. A table that the import does not need is read, too, to detect a truncated file. */
export async function* readOneTable(
  container: ContainerName,
  bytes: AsyncIterable<Buffer>,
  reader: RowReader,
  wanted: (table: TableHead) => boolean,
): AsyncGenerator<RecordBatch> {
  const table = new HeldTable(container, (first) => reader.describe(first), wanted);
  for await (const { block, isLast } of textBlocks(bytes)) {
    const records = reader.push(block, isLast, !table.isUnwanted);
    yield* table.add(records, block.length);
    if (isLast) yield* table.finish();
  }
}

/**
 * Minimum size of a block of an export file. With smaller blocks, the overhead per block exceeds the cost of reading.
 */
const MIN_BLOCK_BYTES = 65_536;
/** Maximum size of a block. It limits the work of reading a row again if the row continues after the block. */
const MAX_BLOCK_BYTES = 262_144;

/** Decodes UTF-8, which may be cut anywhere, into blocks of 64 to 256 KiB. The last block may be smaller. */
async function* textBlocks(bytes: AsyncIterable<Buffer>): AsyncGenerator<{ block: string; isLast: boolean }> {
  const decoder = new StringDecoder('utf8');
  let waiting: Buffer = Buffer.alloc(0);
  for await (const chunk of bytes) {
    waiting = waiting.length === 0 ? chunk : Buffer.concat([waiting, chunk]);
    while (waiting.length >= MIN_BLOCK_BYTES) {
      yield { block: decoder.write(waiting.subarray(0, MAX_BLOCK_BYTES)), isLast: false };
      waiting = waiting.subarray(MAX_BLOCK_BYTES);
    }
  }
  yield { block: decoder.write(waiting) + decoder.end(), isLast: true };
}

/**
 * Splits the text of an export into lines, without their line ends (LF or CRLF). The service has a splitter
 * of its own (src/imports/input/line-splitter.ts), which keeps the bytes of each line and reports why a line
 * cannot be read.
 */
export class LineSplitter {
  readonly #maxChars: number;
  /** Beginning of the current line. Undefined if it is already too long. */
  #begun: string | undefined = '';

  constructor(maxChars: number) {
    this.#maxChars = maxChars;
  }

  /** Returns the lines that end in a block. A line longer than the limit is undefined, and is not kept in memory. */
  push(block: string, isLast: boolean): (string | undefined)[] {
    const lines: (string | undefined)[] = block.split('\n');
    lines[0] = this.#withBegun(lines[0] ?? '');
    this.#begun = lines.pop();
    if (isLast && this.#begun !== '') lines.push(this.#begun);
    return lines.map((line) => this.#withoutEnd(line));
  }

  #withBegun(part: string): string | undefined {
    // The limit may be exceeded by one character: a CR, which belongs to the line end.
    if (this.#begun === undefined || this.#begun.length + part.length > this.#maxChars + 1) return undefined;
    return this.#begun + part;
  }

  #withoutEnd(line: string | undefined): string | undefined {
    const text = line?.endsWith('\r') ? line.slice(0, -1) : line;
    return text === undefined || text.length > this.#maxChars ? undefined : text;
  }
}
