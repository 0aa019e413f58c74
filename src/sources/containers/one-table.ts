import { StringDecoder } from 'node:string_decoder';
import { HeldTable, type TableDescription } from './held-table.ts';
import type { BadRecord, ContainerName, RecordBatch, SourceRecord, TableHead } from './table.ts';

/** Reads the records of an export file that contains a single table, block by block. */
export interface RowReader {
  /**
   * Returns the records that end in this block of the file, or all remaining ones if `isLast`.
   * @param isWanted false if the import does not need the records. The block is then only checked
   * @throws FileProblem if the block makes the whole file invalid, whether the table is wanted or not
   */
  push(block: string, isLast: boolean, isWanted: boolean): (SourceRecord | BadRecord)[];
  /** Returns undefined if the file contains no table. */
  describe(first: readonly SourceRecord[]): TableDescription | undefined;
  /** Returns notes about the blocks pushed since the last call. See `RecordBatch.notes`. */
  takeNotes?(): Readonly<Record<string, number>> | undefined;
}

/** A table that the import does not need is still read to its end, to detect a truncated file. */
export async function* readOneTable(
  container: ContainerName,
  bytes: AsyncIterable<Buffer>,
  reader: RowReader,
  wanted: (table: TableHead) => boolean,
): AsyncGenerator<RecordBatch> {
  const table = new HeldTable(container, (first) => reader.describe(first), wanted);
  for await (const { block, isLast } of textBlocks(bytes)) {
    const records = reader.push(block, isLast, !table.isUnwanted);
    const batches = [...table.add(records, block.length), ...(isLast ? table.finish() : [])];
    for (const batch of batches) {
      const notes = reader.takeNotes?.();
      yield notes === undefined ? batch : { ...batch, notes };
    }
  }
}

/** With smaller blocks of an export file, the overhead per block exceeds the cost of reading. */
const MIN_BLOCK_BYTES = 65_536;
/** Limits the work when a block is read again, because a row goes on after it. */
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

  /** Returns undefined for a line longer than the limit, which is not kept in memory. */
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
