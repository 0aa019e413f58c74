import type { Writable } from 'node:stream';
import type pg from 'pg';

const BLOCK_BYTES = 64 * 1024;

/**
 * Bytes that the binary format of COPY adds around the rows and columns. Source:
 * https://www.postgresql.org/docs/current/sql-copy.html#SQL-COPY-BINARY-FORMAT
 */
const HEADER_BYTES = 11 + 4 + 4;
const ROW_BEGIN_BYTES = 2 + 4;
const MARK_BYTES = 2;

const LINE_BREAK = '\n'.charCodeAt(0);

/** Returns the bytes to pass on for a row of a COPY. The driver reuses the memory of `row` afterwards. */
export type RewriteRow = (row: Buffer) => Buffer;

const COPIED = /^COPY (\d+)$/;

/**
 * Passes the rows of a COPY with one column of text on as lines, in blocks of whole lines. The binary format
 * is cheaper than text, because PostgreSQL does not look at each character. Source:
 * https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-COPY
 */
export class CopyOut implements pg.Submittable {
  /** Resolves with the number of rows after all of them were passed on. */
  readonly done: Promise<number>;
  /** Whether PostgreSQL has ended the statement, even with an error. */
  isOver = false;
  readonly #text: string;
  readonly #rewrite: RewriteRow;
  readonly #to: Writable;
  #resolve: (count: number) => void = () => {};
  #reject: (error: unknown) => void = () => {};
  #connection: pg.Connection | undefined;
  #block = Buffer.allocUnsafe(BLOCK_BYTES);
  #used = 0;
  #count = Number.NaN;
  #isFirst = true;
  #isDropped = false;

  /**
   * @param to stream of blocks; the connection waits while it is full
   * @param rewrite called with each row; an error that it throws ends the copy
   */
  constructor(text: string, to: Writable, rewrite: RewriteRow) {
    this.#text = text;
    this.#to = to;
    this.#rewrite = rewrite;
    this.done = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  /** Fails with this error. Rows that PostgreSQL still sends are received and ignored. */
  drop(error: unknown): void {
    this.#isDropped = true;
    this.#connection?.stream.resume();
    this.#reject(error);
  }

  submit(connection: pg.Connection): void {
    this.#connection = connection;
    connection.query(this.#text);
  }

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
    const stream = this.#connection?.stream;
    if (this.#used === 0 || stream === undefined) return;
    const isFull = !this.#to.write(this.#block.subarray(0, this.#used));
    this.#used = 0;
    if (!isFull || stream.isPaused()) return;
    stream.pause();
    this.#to.once('drain', () => stream.resume());
  }
}
