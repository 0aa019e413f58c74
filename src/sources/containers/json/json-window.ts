import { FileProblem } from '../table.ts';
import { EXACT_NUMBERS, EXTENDED, readValue, TOO_DEEP } from './read-value.ts';

/** Bytes with a meaning in JSON are ASCII, so they never occur inside a UTF-8 character of several bytes. */
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
export const COMMA = 0x2c;
export const OPEN_OBJECT = 0x7b;
export const CLOSE_OBJECT = 0x7d;
export const OPEN_ARRAY = 0x5b;
export const CLOSE_ARRAY = 0x5d;
export const NEWLINE = 0x0a;

export const opensValue = (byte: number | undefined): boolean => byte === OPEN_OBJECT || byte === OPEN_ARRAY;

const isSpace = (byte: number | undefined): boolean =>
  byte === 0x20 || byte === NEWLINE || byte === 0x0d || byte === 0x09;

export function skipSpaces(bytes: Buffer, from: number, to: number): number {
  let at = from;
  while (at < to && isSpace(bytes[at])) at += 1;
  return at;
}

const MAX_DEPTH = 512;
/** A whole number of this many digits in JSON is always exact as a float. */
const SAFE_DIGITS = 15;

/** State of scanning a JSON value for its end. The scan can continue with the next bytes. */
export class Scan {
  depth = 0;
  inText = false;
  isDone = false;
  /** A byte fits nowhere. */
  isBroken = false;
  /** The value is not parsed, so its texts and what follows them are checked by the scan. */
  isStrict = false;
  /** Sum of the flags EXACT_NUMBERS, EXTENDED and TOO_DEEP that were found so far. */
  marks = 0;
  /** Stack of the open brackets of the JSON value. */
  readonly open = new Uint8Array(MAX_DEPTH);

  /** With `inside`, the open bracket of a JSON array or object, the scan looks for the end of that value. */
  start(isStrict = false, inside?: number): this {
    this.depth = inside === undefined ? 0 : 1;
    this.open[0] = inside ?? 0;
    this.inText = false;
    this.isDone = false;
    this.isBroken = false;
    this.isStrict = isStrict;
    this.marks = 0;
    return this;
  }
}

// Lookup tables by byte. They halve the time of scanning JSON, compared with comparisons of each byte.
const PLAIN = 0;
const QUOTES = 1;
const OPENS = 2;
const CLOSES = 3;
const DIGIT = 4;
const MINUS = 5;
const STRAY = 6;
const DIGITS = Array.from({ length: 10 }, (_, digit) => 0x30 + digit);
const CONTROLS = Array.from({ length: 0x20 }, (_, byte) => byte);
const OUTSIDE = tableOf([
  [[QUOTE], QUOTES],
  [[OPEN_OBJECT, OPEN_ARRAY], OPENS],
  [[CLOSE_OBJECT, CLOSE_ARRAY], CLOSES],
  [DIGITS, DIGIT],
  [[0x2d], MINUS],
  [[BACKSLASH], STRAY],
]);
const INSIDE = tableOf([[[QUOTE, BACKSLASH], 1]]);
const INSIDE_STRICTLY = tableOf([[[QUOTE, BACKSLASH, ...CONTROLS], 1]]);
const AFTER_TEXT = tableOf([[[COMMA, COLON, CLOSE_OBJECT, CLOSE_ARRAY], 1]]);
/** Bytes that end a JSON number, `true`, `false` or `null`. */
const ENDS_SHORT = tableOf([
  [[QUOTE, OPEN_OBJECT, OPEN_ARRAY, CLOSE_OBJECT, CLOSE_ARRAY, COMMA, 0x20, 0x0a, 0x0d, 0x09], 1],
]);

function tableOf(kinds: readonly (readonly [readonly number[], number])[]): Uint8Array {
  const table = new Uint8Array(256);
  for (const [bytes, kind] of kinds) for (const byte of bytes) table[byte] = kind;
  return table;
}

/**
 * Finds the end of a JSON value. It only follows texts and brackets; `JSON.parse` checks everything else.
 * @param from index of the first byte of the value, or the index returned by an earlier call
 * @returns the index after the value if `scan.isDone`, the index of the byte that does not fit if
 * `scan.isBroken`, or else the index to continue at: `to`, or that of a backslash or quote shortly before `to`
 */
export function scanValue(scan: Scan, bytes: Buffer, from: number, to: number): number {
  const { open, isStrict } = scan;
  let { depth, inText, marks } = scan;
  let at = from;
  if (depth === 0 && !inText && at < to && bytes[at] !== QUOTE && !opensValue(bytes[at]))
    return scanShort(scan, bytes, at, to);
  while (true) {
    if (inText) {
      // Two loops with a constant table each are faster than one.
      if (isStrict) while (at < to && INSIDE_STRICTLY[bytes[at] ?? 0] === 0) at += 1;
      else while (at < to && INSIDE[bytes[at] ?? 0] === 0) at += 1;
      if (at >= to) break;
      if (bytes[at] === BACKSLASH) {
        if (at + 1 >= to) break;
        at += 2;
        continue;
      }
      scan.isBroken = bytes[at] !== QUOTE;
      if (scan.isBroken) return at;
      if (isStrict && depth > 0) {
        const next = skipSpaces(bytes, at + 1, to);
        if (next >= to) break;
        scan.isBroken = AFTER_TEXT[bytes[next] ?? 0] === 0;
        if (scan.isBroken) return next;
      }
      at += 1;
      inText = false;
      scan.isDone = depth === 0;
      if (scan.isDone) break;
    }
    while (at < to && OUTSIDE[bytes[at] ?? 0] === PLAIN) at += 1;
    if (at >= to) break;
    const byte = bytes[at] ?? 0;
    const kind = OUTSIDE[byte];
    at += 1;
    if (kind === QUOTES) {
      inText = true;
      if (at + 1 >= to || (bytes[at] === 0x24 && beginsExtended(bytes[at + 1]))) marks |= EXTENDED;
    } else if (kind === OPENS) {
      if (depth < MAX_DEPTH) open[depth] = byte;
      else marks |= TOO_DEEP;
      depth += 1;
    } else if (kind === CLOSES) {
      depth -= 1;
      // In ASCII, the codes of `}` and `]` are those of `{` and `[` plus two.
      scan.isBroken = depth < MAX_DEPTH && open[depth] !== byte - 2;
      if (scan.isBroken) return at - 1;
      scan.isDone = depth === 0;
      if (scan.isDone) break;
    } else if (kind === MINUS) {
      // Every negative number in JSON is parsed exactly. They are rare, and a float changes `-0`.
      marks |= EXACT_NUMBERS;
    } else if (kind === STRAY) {
      scan.isBroken = isStrict;
      if (isStrict) return at - 1;
    } else {
      const start = at - 1;
      while (at < to && OUTSIDE[bytes[at] ?? 0] === DIGIT) at += 1;
      if (at - start > SAFE_DIGITS || at >= to || goesOn(bytes[at])) marks |= EXACT_NUMBERS;
    }
  }
  scan.depth = depth;
  scan.inText = inText;
  scan.marks = marks;
  return at;
}

function scanShort(scan: Scan, bytes: Buffer, from: number, to: number): number {
  let at = from;
  while (at < to && ENDS_SHORT[bytes[at] ?? 0] === 0) at += 1;
  scan.isDone = at < to;
  scan.marks |= EXACT_NUMBERS;
  return at;
}

/** `.`, `e` or `E` in a JSON number, which is then not whole. */
const goesOn = (byte: number | undefined) => byte === 0x2e || byte === 0x65 || byte === 0x45;
/** The `o`, `d` or `n` of `$oid`, `$date` or `$number…` in Extended JSON. */
const beginsExtended = (byte: number | undefined) => byte === 0x6f || byte === 0x64 || byte === 0x6e;

/** Large enough to make the cost of an await negligible, and small enough for the processor's cache. */
const BLOCK_BYTES = 64 * 1024;
/** Settings of an export beside the JSON list of users are never larger. */
export const MAX_SMALL_BYTES = 64 * 1024;

/** Sliding window of a JSON file. Its bytes are contiguous, however the source divides the file into chunks. */
export class JsonWindow {
  /** Bytes from `at` to `end` have not been processed yet. */
  bytes: Buffer = Buffer.alloc(0);
  at = 0;
  end = 0;
  readonly scan = new Scan();
  /** Error of reading the JSON file. The window then ends as if the file did. */
  failure: unknown;
  readonly #source: AsyncIterator<Buffer>;
  /** The part of the last chunk of the file that did not fit into `bytes`. */
  #rest: Buffer = Buffer.alloc(0);
  /** Offset of `bytes` in the JSON file. */
  #base = 0;

  constructor(chunks: AsyncIterable<Buffer>) {
    this.#source = chunks[Symbol.asyncIterator]();
  }

  get offset(): number {
    return this.#base + this.at;
  }

  async close(): Promise<void> {
    await this.#source.return?.();
  }

  /**
   * Reads at least as many bytes of the JSON file as are held already, so that long values are not moved or
   * scanned again and again. The byte at `at` moves to index 0. Returns false at the end of the file.
   */
  async fill(): Promise<boolean> {
    const held = this.end - this.at;
    const goal = held + Math.max(BLOCK_BYTES, held);
    this.#makeRoom(goal);
    while (this.end < goal) {
      if (this.#rest.length === 0) {
        const chunk = await this.#nextChunk();
        if (chunk === undefined) break;
        this.#rest = chunk;
      }
      const copied = this.#rest.copy(this.bytes, this.end);
      this.end += copied;
      this.#rest = this.#rest.subarray(copied);
    }
    return this.end > held;
  }

  async #nextChunk(): Promise<Buffer | undefined> {
    if (this.failure !== undefined) return undefined;
    try {
      const { value, done } = await this.#source.next();
      return done === true ? undefined : value;
    } catch (error) {
      this.failure = error;
      return undefined;
    }
  }

  /** Moves unprocessed bytes to the front. A buffer that is too large, after a long JSON value, is replaced. */
  #makeRoom(size: number): void {
    const { bytes, at, end } = this;
    if (bytes.length >= size && bytes.length <= 4 * size) {
      bytes.copyWithin(0, at, end);
    } else {
      this.bytes = Buffer.allocUnsafeSlow(2 * size);
      bytes.copy(this.bytes, 0, at, end);
    }
    this.#base += at;
    this.at = 0;
    this.end = end - at;
  }

  /** Skips spaces. Returns the next byte without consuming it, or undefined at the end of the file. */
  async peek(): Promise<number | undefined> {
    do {
      this.at = skipSpaces(this.bytes, this.at, this.end);
      if (this.at < this.end) return this.bytes[this.at];
    } while (await this.fill());
    return undefined;
  }

  /**
   * Skips to the end of a JSON value of any length, without keeping its bytes.
   * @param inside the open bracket of the array whose end is looked for
   * @throws FileProblem if the value does not end, or if its texts and brackets are not those of JSON
   */
  async skip(what: string, beganAt = this.offset, inside?: number): Promise<void> {
    const scan = this.scan.start(true, inside);
    while (true) {
      this.at = scanValue(scan, this.bytes, this.at, this.end);
      if (scan.isDone) return;
      if (scan.isBroken) throw brokenWithin(what, beganAt, this.offset);
      if (!(await this.fill())) throw truncated(what, beganAt);
    }
  }

  /**
   * Parses a JSON value without consuming it. Returns undefined if it is larger than MAX_SMALL_BYTES, or nested
   * too deeply.
   * @throws FileProblem if the value is not JSON
   */
  async peekSmall(): Promise<{ value: unknown; sizeBytes: number } | undefined> {
    const scan = this.scan.start();
    let sizeBytes = 0;
    do {
      sizeBytes = scanValue(scan, this.bytes, this.at + sizeBytes, this.end) - this.at;
    } while (!scan.isDone && !scan.isBroken && sizeBytes <= MAX_SMALL_BYTES && (await this.fill()));
    if (scan.isBroken) throw brokenWithin('a value', this.offset, this.offset + sizeBytes);
    if (!scan.isDone && sizeBytes <= MAX_SMALL_BYTES) throw truncated('a value', this.offset);
    if (sizeBytes > MAX_SMALL_BYTES || (scan.marks & TOO_DEEP) !== 0) return undefined;
    const value = readValue(this.bytes.toString('utf8', this.at, this.at + sizeBytes), scan.marks);
    if (value === undefined) throw invalidAt(this.offset, 'a value');
    return { value, sizeBytes };
  }

  /** Consumes a JSON value. Returns it, or undefined if it is too large. */
  async readSmall(): Promise<unknown> {
    const small = await this.peekSmall();
    if (small === undefined) await this.skip('a value');
    else this.at += small.sizeBytes;
    return small?.value;
  }

  /**
   * Yields the name of each member of a JSON object, or the number of each element of an array, from its opening
   * bracket. The value is at `at`, and the caller consumes it. A name that is too long is empty.
   */
  async *entries(): AsyncGenerator<string> {
    const beganAt = this.offset;
    const isObject = this.bytes[this.at] === OPEN_OBJECT;
    const what = isObject ? 'an object' : 'an array';
    const close = isObject ? CLOSE_OBJECT : CLOSE_ARRAY;
    const next = async () => {
      const byte = await this.peek();
      if (byte === undefined) throw truncated(what, beganAt);
      return byte;
    };
    this.at += 1;
    for (let index = 0; (await next()) !== close; index += 1) {
      let name: unknown = String(index);
      if (isObject) {
        if (this.bytes[this.at] !== QUOTE) throw invalidAt(this.offset, 'the name of a member');
        name = await this.readSmall();
        if ((await next()) !== COLON) throw invalidAt(this.offset, 'a colon');
        this.at += 1;
        await next();
      }
      yield typeof name === 'string' ? name : '';
      const separator = await next();
      if (separator === COMMA) this.at += 1;
      else if (separator !== close) throw invalidAt(this.offset, `a comma or the end of ${what}`);
    }
    this.at += 1;
  }
}

export const invalid = (message: string): FileProblem => new FileProblem('FILE_INVALID', message);

export const truncated = (what: string, beganAt: number): FileProblem =>
  new FileProblem(
    'FILE_TRUNCATED',
    `The file ends too early: ${what} that begins at byte ${beganAt} has no end. Copy or export it again.`,
  );

/** After invalid JSON, the start of the next record is unknown. */
export const invalidAt = (offset: number, expected: string): FileProblem =>
  invalid(
    `Is not JSON at byte ${offset}, where ${expected} should be. Correct it there, or export it again.`,
  );

export const brokenWithin = (what: string, beganAt: number, offset: number): FileProblem =>
  invalid(
    `Is not JSON at byte ${offset}, which fits nowhere in ${what} that begins at byte ${beganAt}. Correct it there, or export it again.`,
  );
