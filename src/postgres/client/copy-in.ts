import type pg from 'pg';
import { isUuid } from '../../lib/text/characters.ts';

/** Source of the format: https://www.postgresql.org/docs/current/sql-copy.html, "Binary Format". */
export interface Copy {
  /** Made by `copyStatement`. */
  statement: string;
  /** In the binary format, without the header and the end of a file, which `CopyIn` adds. */
  rows: Buffer;
  count: number;
}

export const copyStatement = (table: string, columns: readonly string[]): string =>
  `copy ${table} (${columns.join(', ')}) from stdin (format binary)`;

const SIGNATURE = 'PGCOPY\n\xff\r\n\0';
const NO_FLAGS = '\0\0\0\0';
const NO_EXTENSION = '\0\0\0\0';
const FILE_HEADER = Buffer.from(SIGNATURE + NO_FLAGS + NO_EXTENSION, 'latin1');
const FILE_END = Buffer.from([0xff, 0xff]);

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
    const send = (bytes: Buffer) => {
      const head = Buffer.alloc(1 + LENGTH_BYTES);
      head.writeUInt8(COPY_DATA);
      head.writeUInt32BE(LENGTH_BYTES + bytes.length, 1);
      stream.write(head);
      stream.write(bytes);
    };
    for (const { rows } of this.#copies) {
      send(FILE_HEADER);
      for (let start = 0; start < rows.length; start += MESSAGE_BYTES)
        send(rows.subarray(start, start + MESSAGE_BYTES));
      send(FILE_END);
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

/*
 * Values in the binary format, as texts in which each character is a byte: texts are joined faster than buffers are
 * filled. Nothing needs to be escaped, and PostgreSQL need not look for the ends of values.
 */

const { fromCharCode } = String;

const int2 = (value: number) => fromCharCode((value >>> 8) & 0xff, value & 0xff);
const int4 = (value: number) =>
  fromCharCode(value >>> 24, (value >>> 16) & 0xff, (value >>> 8) & 0xff, value & 0xff);
/** `Math.floor` and `>>>` together give the two's complement of negative numbers. */
const int8 = (value: number) => int4(Math.floor(value / 2 ** 32)) + int4(value);

const NULL = int4(-1);
/** Lengths of most values. */
const LENGTHS = Array.from({ length: 1024 }, (_, length) => int4(length));

const withLength = (bytes: string) => (LENGTHS[bytes.length] ?? int4(bytes.length)) + bytes;

/** Returns the beginning of a row, which the values of its columns must follow. */
export const rowHead = (columns: number): string => int2(columns);

/** @param rows the values of each row, joined */
export function copyOf(table: string, columns: readonly string[], rows: readonly string[]): Copy {
  const head = rowHead(columns.length);
  const bytes = Buffer.from(rows.map((values) => head + values).join(''), 'latin1');
  return { statement: copyStatement(table, columns), rows: bytes, count: rows.length };
}

const ASCII = /^[\0-\x7f]*$/;

const utf8 = (text: string) => (ASCII.test(text) ? text : Buffer.from(text).toString('latin1'));

/**
 * Value for a column of type text or json (not jsonb, which begins with its version). Undefined becomes null. PostgreSQL
 * refuses NUL, and half a surrogate pair becomes U+FFFD.
 */
export const copyText = (text: string | undefined): string =>
  text === undefined ? NULL : withLength(utf8(text));

const TEXT_OID = 25;
/** One dimension, no null, and elements of type text. */
const ARRAY = int4(1) + int4(0) + int4(TEXT_OID);
const LOWER_BOUND = int4(1);

/** Value for a column of type text[]. An empty array becomes null. */
export const copyTexts = (texts: readonly string[]): string =>
  texts.length === 0
    ? NULL
    : withLength(ARRAY + int4(texts.length) + LOWER_BOUND + texts.map(copyText).join(''));

const TRUE = withLength('\x01');
const FALSE = withLength('\0');

export const copyBoolean = (value: boolean): string => (value ? TRUE : FALSE);

/** @throws {Error} if the value is not of the type integer */
export function copyInteger(value: number): string {
  if (value !== (value | 0)) throw new Error(`not an integer of four bytes: ${value}`);
  return withLength(int4(value));
}

/** @throws {Error} if the value is no whole number, or one that JavaScript does not represent exactly */
export function copyBigint(value: number): string {
  if (!Number.isSafeInteger(value)) throw new Error(`not a safe integer: ${value}`);
  return withLength(int8(value));
}

/** Value for a column of type bytea. Undefined becomes null. */
export const copyBytes = (bytes: Buffer | undefined): string =>
  bytes === undefined ? NULL : withLength(bytes.toString('latin1'));

const HEX = new Uint8Array(128);
for (let digit = 0; digit < 16; digit += 1) HEX[digit.toString(16).charCodeAt(0)] = digit;

const byteAt = (hex: string, at: number) =>
  ((HEX[hex.charCodeAt(at)] as number) << 4) | (HEX[hex.charCodeAt(at + 1)] as number);

/** All bytes in one call, which takes a third of the time of a loop. */
const uuidBytes = (id: string) =>
  fromCharCode(
    byteAt(id, 0),
    byteAt(id, 2),
    byteAt(id, 4),
    byteAt(id, 6),
    byteAt(id, 9),
    byteAt(id, 11),
    byteAt(id, 14),
    byteAt(id, 16),
    byteAt(id, 19),
    byteAt(id, 21),
    byteAt(id, 24),
    byteAt(id, 26),
    byteAt(id, 28),
    byteAt(id, 30),
    byteAt(id, 32),
    byteAt(id, 34),
  );

/** The last result is kept, because the rows of a user have the same id. */
let lastId: string | undefined;
let lastValue = '';

/**
 * Value for a column of type uuid.
 * @throws {Error} if the id is not as PostgreSQL prints it
 */
export function copyUuid(id: string): string {
  if (id !== lastId) {
    if (!isUuid(id)) throw new Error('not a UUID in lower case');
    lastId = id;
    lastValue = withLength(uuidBytes(id));
  }
  return lastValue;
}

/** Milliseconds from 1970 to 2000, from which PostgreSQL counts. */
const EPOCH_MS = Date.UTC(2000);

/**
 * Value for a column of type timestamptz.
 * @param time as PostgreSQL writes it in JSON
 * @throws {Error} if it is written otherwise, or not between the years 1715 and 2284
 */
export function copyTime(time: string): string {
  const match = /^(\d+-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,6}))?([+-]\d\d:\d\d)$/.exec(time);
  if (match === null) throw new Error(`not a time in JSON of PostgreSQL: ${time}`);
  const [, seconds, fraction = '', zone] = match;
  const micros = (Date.parse(`${seconds}${zone}`) - EPOCH_MS) * 1000 + Number(fraction.padEnd(6, '0'));
  return copyBigint(micros);
}
