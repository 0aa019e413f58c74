import type pg from 'pg';
import type { RowBlocks } from './row-blocks.ts';

/** Size in bytes of the blocks into which the rows of a COPY are gathered. */
const BLOCK_BYTES = 64 * 1024;

/**
 * Bytes that the binary format of COPY adds: the signature, flags and length of an extension before the first
 * row; the number and the length of the columns before each row; the mark after the last row. Source:
 * https://www.postgresql.org/docs/current/sql-copy.html#SQL-COPY-BINARY-FORMAT
 */
const HEADER_BYTES = 11 + 4 + 4;
const ROW_BEGIN_BYTES = 2 + 4;
const MARK_BYTES = 2;

const LINE_BREAK = '\n'.charCodeAt(0);

/**
 * Returns the bytes to pass on for a row of a COPY. The row's memory belongs to the driver, which reuses it.
 */
export type RewriteRow = (row: Buffer) => Buffer;

/** Matches the command tag that PostgreSQL sends at the end of a COPY. */
const COPIED = /^COPY (\d+)$/;

/**
 * Runs a statement `copy … to stdout (format binary)` with one column of text, and passes its rows on as
 * lines as they arrive, in blocks of whole lines. The binary format is cheaper than text, because PostgreSQL
 * does not look at each character. Source:
 * https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-COPY
 */
export class CopyOut implements pg.Submittable {
  /**
   * Resolves with the number of rows after all of them were passed on. Rejects with the error that ended the
   * COPY.
   */
  readonly done: Promise<number>;
  /** Whether PostgreSQL has ended the statement: after all rows, or after an error. */
  isOver = false;
  readonly #text: string;
  readonly #rewrite: RewriteRow;
  readonly #blocks: RowBlocks;
  #resolve: (count: number) => void = () => {};
  #reject: (error: unknown) => void = () => {};
  #connection: pg.Connection | undefined;
  #block = Buffer.allocUnsafe(BLOCK_BYTES);
  #used = 0;
  #count = Number.NaN;
  #isFirst = true;
  #isDropped = false;

  /**
   * Prepares a COPY that sends rows to this service.
   * @param text the statement `copy … to stdout (format binary)`
   * @param blocks receives the rows
   * @param rewrite called with each row; an error that it throws ends the copy
   */
  constructor(text: string, blocks: RowBlocks, rewrite: RewriteRow) {
    this.#text = text;
    this.#blocks = blocks;
    this.#rewrite = rewrite;
    this.done = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  /** Ends passing rows on, with this error. PostgreSQL's remaining rows are received and ignored. */
  drop(error: unknown): void {
    this.#isDropped = true;
    this.#connection?.stream.resume();
    this.#reject(error);
  }

  submit(connection: pg.Connection): void {
    this.#connection = connection;
    connection.query(this.#text);
  }

  /** Takes one row of the COPY from the driver, which reuses the row's memory after this call. */
  handleCopyData({ chunk }: { chunk: Buffer }): void {
    if (this.#isDropped) return;
    const message = this.#isFirst ? chunk.subarray(HEADER_BYTES) : chunk;
    this.#isFirst = false;
    if (message.length <= MARK_BYTES) return;
    let row: Buffer;
    try {
      row = this.#rewrite(message.subarray(ROW_BEGIN_BYTES));
    } catch (error) {
      this.drop(error);
      return;
    }
    const bytes = row.length + 1;
    if (this.#used + bytes > this.#block.length) {
      this.#pass();
      this.#block = Buffer.allocUnsafe(Math.max(BLOCK_BYTES, bytes));
    }
    row.copy(this.#block, this.#used);
    this.#used += bytes;
    this.#block[this.#used - 1] = LINE_BREAK;
  }

  handleCommandComplete({ text }: { text: string }): void {
    this.#count = Number(COPIED.exec(text)?.[1] ?? Number.NaN);
  }

  handleReadyForQuery(): void {
    if (!this.#isDropped) this.#pass();
    this.isOver = true;
    this.#resolve(this.#count);
  }

  handleError(error: unknown): void {
    this.isOver = true;
    this.drop(error);
  }

  /** Passes the lines of the block on. The reader then owns the block's memory. */
  #pass(): void {
    if (this.#used > 0 && this.#connection !== undefined)
      this.#blocks.add(this.#block.subarray(0, this.#used), this.#connection.stream);
    this.#used = 0;
  }
}
