import type pg from 'pg';

/** Size in bytes of the blocks into which the rows of a COPY are gathered. */
const BLOCK_BYTES = 64 * 1024;
/**
 * Number of blocks that may wait for the reader. While there are so many, nothing is read from the
 * connection.
 */
const MAX_BLOCKS = 16;
/**
 * Returns the bytes to pass on for a row of a COPY. The row's memory belongs to the driver, which reuses it.
 */
export type RewriteRow = (row: Buffer) => Buffer;

/** Matches the command tag that PostgreSQL sends at the end of a COPY. */
const COPIED = /^COPY (\d+)$/;

/**
 * Runs a statement `copy … to stdout` and reads its rows as they arrive. PostgreSQL waits while the reader is
 * busy. Source: https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-COPY
 */
export class CopyOut implements pg.Submittable {
  /** Number of rows that PostgreSQL has sent. Known after all rows were read. */
  count = 0;
  /** Whether the statement has ended: after all rows, or after an error. */
  isOver = false;
  readonly #text: string;
  readonly #rewrite: RewriteRow;
  #connection: pg.Connection | undefined;
  #blocks: Buffer[] = [];
  #block = Buffer.allocUnsafe(BLOCK_BYTES);
  #used = 0;
  #isDropped = false;
  #problem: { error: unknown } | undefined;
  /** Wakes the reader of the COPY's rows if it is waiting for more. */
  #wake: () => void = () => {};

  /**
   * Prepares a COPY that sends rows to this service.
   * @param text the statement `copy … to stdout`
   * @param rewrite called with each row; if it throws, no more rows are read
   */
  constructor(text: string, rewrite: RewriteRow) {
    this.#text = text;
    this.#rewrite = rewrite;
  }

  /**
   * Yields the rows of the COPY in blocks of whole rows.
   * @throws the error that ended the statement
   */
  async *blocks(): AsyncGenerator<Buffer, void> {
    for (;;) {
      if (this.#problem !== undefined) throw this.#problem.error;
      const block = this.#blocks.shift();
      if (block !== undefined) {
        if (this.#blocks.length < MAX_BLOCKS) this.#connection?.stream.resume();
        yield block;
      } else if (this.isOver) {
        return;
      } else {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    }
  }

  /**
   * Ends reading the rows of the COPY with this error. PostgreSQL's remaining rows are received and ignored.
   */
  drop(error: unknown): void {
    this.#isDropped = true;
    this.#blocks = [];
    this.#problem ??= { error };
    this.#connection?.stream.resume();
    this.#wake();
  }

  submit(connection: pg.Connection): void {
    this.#connection = connection;
    connection.query(this.#text);
  }

  /** Takes one row of the COPY from the driver, which reuses the row's memory after this call. */
  handleCopyData({ chunk }: { chunk: Buffer }): void {
    if (this.#isDropped) return;
    let row: Buffer;
    try {
      row = this.#rewrite(chunk);
    } catch (error) {
      this.drop(error);
      return;
    }
    if (this.#used + row.length > this.#block.length) this.#pass();
    if (row.length > BLOCK_BYTES) {
      this.#add(Buffer.from(row));
      return;
    }
    this.#used += row.copy(this.#block, this.#used);
  }

  handleCommandComplete({ text }: { text: string }): void {
    this.count = Number(COPIED.exec(text)?.[1] ?? Number.NaN);
  }

  handleReadyForQuery(): void {
    this.#pass();
    this.isOver = true;
    this.#wake();
  }

  handleError(error: unknown): void {
    this.isOver = true;
    this.drop(error);
  }

  #pass(): void {
    if (this.#used === 0) return;
    this.#add(this.#block.subarray(0, this.#used));
    this.#block = Buffer.allocUnsafe(BLOCK_BYTES);
    this.#used = 0;
  }

  #add(block: Buffer): void {
    this.#blocks.push(block);
    if (this.#blocks.length >= MAX_BLOCKS) this.#connection?.stream.pause();
    this.#wake();
  }
}
