import type pg from 'pg';

/** Statement `copy … from stdin`, and the rows that it writes, in text format. */
export interface Copy {
  statement: string;
  rows: Buffer;
  count: number;
}

/** Maximum bytes of a COPY message, which PostgreSQL reads completely before it handles the rows. */
const MESSAGE_BYTES = 64 * 1024;
const LENGTH_BYTES = 4;
const COPIED = /^COPY (\d+)$/;
const COPY_DATA = 'd'.charCodeAt(0);
const COPY_DONE = Buffer.from(['c'.charCodeAt(0), 0, 0, 0, LENGTH_BYTES]);

/**
 * Sends several COPY statements, with all their rows and the statements before them, in one round trip,
 * without waiting until PostgreSQL asks for the rows. If a statement fails, PostgreSQL ignores the remaining
 * rows. Source: https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-COPY
 */
export class CopyIn implements pg.Submittable {
  /** Resolves to the number of rows that each COPY has written. */
  readonly done: Promise<number[]>;
  /** Public, because the driver `pg` may replace the callback. */
  callback: (error?: unknown) => void = () => {};
  readonly #text: string;
  readonly #copies: readonly Copy[];
  readonly #counts: number[] = [];

  constructor(before: readonly string[], copies: readonly Copy[]) {
    this.#text = [...before, ...copies.map(({ statement }) => statement)].join('; ');
    this.#copies = copies;
    this.done = new Promise((resolve, reject) => {
      this.callback = (error) => (error === undefined ? resolve(this.#counts) : reject(error));
    });
    // The driver may fail before anybody awaits the result. The rejection must not count as unhandled then.
    this.done.catch(() => {});
  }

  submit(connection: pg.Connection): void {
    const { stream } = connection;
    stream.cork();
    connection.query(this.#text);
    for (const { rows } of this.#copies) {
      for (let start = 0; start < rows.length; start += MESSAGE_BYTES) {
        const part = rows.subarray(start, start + MESSAGE_BYTES);
        const head = Buffer.alloc(1 + LENGTH_BYTES);
        head.writeUInt8(COPY_DATA);
        head.writeUInt32BE(LENGTH_BYTES + part.length, 1);
        stream.write(head);
        stream.write(part);
      }
      stream.write(COPY_DONE);
    }
    stream.uncork();
  }

  handleCopyInResponse(): void {}

  handleCommandComplete({ text }: { text: string }): void {
    const count = COPIED.exec(text)?.[1];
    if (count !== undefined) this.#counts.push(Number(count));
  }

  handleReadyForQuery(): void {
    this.callback();
  }

  handleError(error: unknown): void {
    this.callback(error);
  }
}
