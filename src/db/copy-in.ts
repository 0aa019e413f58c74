import type pg from 'pg';

/** A statement `copy … from stdin`, and its rows in text format. */
export interface Copy {
  statement: string;
  rows: Buffer;
  /** How many they are. */
  count: number;
}

/** Of one message: Postgres reads a message whole before it looks at the rows in it. */
const MESSAGE_BYTES = 64 * 1024;
const LENGTH_BYTES = 4;
/** What Postgres says of each COPY at its end. */
const COPIED = /^COPY (\d+)$/;
const COPY_DATA = 'd'.charCodeAt(0);
const COPY_DONE = Buffer.from(['c'.charCodeAt(0), 0, 0, 0, LENGTH_BYTES]);

/**
 * Several COPY, with all their rows, and the statements before them, in one exchange: the rows do not wait to be asked
 * for. When a statement fails, Postgres drops the rows that are left.
 * Source: https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-COPY
 */
export class CopyIn implements pg.Submittable {
  /** How many rows each COPY has written. */
  readonly done: Promise<number[]>;
  /** Called at the end. */
  callback: (error?: unknown) => void = () => {};
  readonly #text: string;
  readonly #copies: readonly Copy[];
  readonly #between: (() => Promise<void>) | undefined;
  #isOver = false;
  readonly #counts: number[] = [];

  /** @param between awaited before each message of rows, where not all are to be sent at once */
  constructor(before: readonly string[], copies: readonly Copy[], between?: () => Promise<void>) {
    this.#text = [...before, ...copies.map(({ statement }) => statement)].join('; ');
    this.#copies = copies;
    this.#between = between;
    this.done = new Promise((resolve, reject) => {
      this.callback = (error) => {
        this.#isOver = true;
        if (error === undefined) resolve(this.#counts);
        else reject(error);
      };
    });
    // Where the driver throws before anybody could wait for it.
    this.done.catch(() => {});
  }

  submit(connection: pg.Connection): void {
    if (this.#between !== undefined) {
      connection.query(this.#text);
      void this.#sendBitByBit(connection, this.#between);
      return;
    }
    const { stream } = connection;
    stream.cork();
    connection.query(this.#text);
    for (const message of this.#messages()) for (const bytes of message) stream.write(bytes);
    stream.uncork();
  }

  /** Ends early where a statement has failed. */
  async #sendBitByBit({ stream }: pg.Connection, between: () => Promise<void>): Promise<void> {
    for (const message of this.#messages()) {
      if (message[0] !== COPY_DONE) await between();
      if (this.#isOver) return;
      for (const bytes of message) stream.write(bytes);
    }
  }

  *#messages(): Generator<Buffer[]> {
    for (const { rows } of this.#copies) {
      for (let start = 0; start < rows.length; start += MESSAGE_BYTES) {
        const part = rows.subarray(start, start + MESSAGE_BYTES);
        const head = Buffer.alloc(1 + LENGTH_BYTES);
        head.writeUInt8(COPY_DATA);
        head.writeUInt32BE(LENGTH_BYTES + part.length, 1);
        yield [head, part];
      }
      yield [COPY_DONE];
    }
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
