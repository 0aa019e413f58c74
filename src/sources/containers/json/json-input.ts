import { type FileProblem, invalidFile, truncatedFile } from '../table.ts';
import { EXACT_NUMBERS, EXTENDED, parseValue, TOO_DEEP } from './json-values.ts';

/** Bytes with a meaning in JSON are ASCII, so they never occur inside a UTF-8 character of several bytes. */
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const COMMA = 0x2c;
export const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
export const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
export const NEWLINE = 0x0a;
const SPACES = [0x20, NEWLINE, 0x0d, 0x09];

export const opensValue = (byte: number | undefined): boolean => byte === OPEN_OBJECT || byte === OPEN_ARRAY;

// Lookup tables by byte. They halve the time of a scan, compared with comparisons of each byte.
const PLAIN = 0;
const QUOTES = 1;
const OPENS = 2;
const CLOSES = 3;
const DIGIT = 4;
const MINUS = 5;
const STRAY = 6;
const OUTSIDE = tableOf([
  [[QUOTE], QUOTES],
  [[OPEN_OBJECT, OPEN_ARRAY], OPENS],
  [[CLOSE_OBJECT, CLOSE_ARRAY], CLOSES],
  [Array.from({ length: 10 }, (_, digit) => 0x30 + digit), DIGIT],
  [[0x2d], MINUS],
  [[BACKSLASH], STRAY],
]);
/** Bytes with a meaning inside a text: those that end or escape it, and control characters, which are not allowed. */
const INSIDE = tableOf([[[QUOTE, BACKSLASH, ...Array.from({ length: 0x20 }, (_, byte) => byte)], 1]]);
const SEPARATOR = 1;
const SPACE = 2;
/**
 * Kinds of bytes after a value. Each ends a number, `true`, `false` or `null`. After a text, only separators and
 * spaces.
 */
const AFTER = tableOf([
  [[COMMA, COLON, CLOSE_OBJECT, CLOSE_ARRAY], SEPARATOR],
  [SPACES, SPACE],
  [[QUOTE, OPEN_OBJECT, OPEN_ARRAY], 3],
]);

function tableOf(kinds: readonly (readonly [readonly number[], number])[]): Uint8Array {
  const table = new Uint8Array(256);
  for (const [bytes, kind] of kinds) for (const byte of bytes) table[byte] = kind;
  return table;
}

export function skipSpaces(bytes: Buffer, from: number, to: number): number {
  let at = from;
  while (at < to && AFTER[bytes[at] ?? 0] === SPACE) at += 1;
  return at;
}

const MAX_DEPTH = 512;
/** A whole number of this many digits in JSON is always exact as a float. */
const SAFE_DIGITS = 15;

/**
 * Finds the end of a JSON value, even if the value continues in later blocks of the file. It follows texts and
 * brackets, so that a bracket in a text of a user never ends a value. `JSON.parse` checks everything else.
 */
export class Scan {
  state: 'open' | 'done' | 'broken' = 'open';
  /** Sum of the flags EXACT_NUMBERS, EXTENDED and TOO_DEEP that were found so far. */
  marks = 0;
  /** Number of members of all objects so far. */
  members = 0;
  #depth = 0;
  #inText = false;
  /** Stack of the open brackets of the JSON value. */
  readonly #open = new Uint8Array(MAX_DEPTH);

  /**
   * Begins a new scan.
   * @param inside opening bracket of an array or object, if the scan begins inside it and looks for its end
   */
  start(inside?: number): this {
    this.state = 'open';
    this.marks = 0;
    this.members = 0;
    this.#depth = inside === undefined ? 0 : 1;
    this.#inText = false;
    this.#open[0] = inside ?? 0;
    return this;
  }

  /**
   * Scans bytes, and sets `state`.
   * @param from index of the first byte of the value, or the index returned by an earlier call
   * @returns the index after the value if it is `done`, the index of the byte that does not fit if it is `broken`, or
   * else the index to go on at: `to`, or that of a backslash or quote shortly before `to`
   */
  run(bytes: Buffer, from: number, to: number): number {
    const open = this.#open;
    let depth = this.#depth;
    let inText = this.#inText;
    let marks = this.marks;
    let at = from;
    let { state } = this;
    if (depth === 0 && !inText && at < to && bytes[at] !== QUOTE && !opensValue(bytes[at])) {
      while (at < to && AFTER[bytes[at] ?? 0] === 0) at += 1;
      this.marks |= EXACT_NUMBERS;
      if (at < to) this.state = 'done';
      return at;
    }
    while (state === 'open') {
      if (inText) {
        while (at < to && INSIDE[bytes[at] ?? 0] === 0) at += 1;
        if (at >= to) break;
        if (bytes[at] === BACKSLASH) {
          if (at + 1 >= to) break;
          at += 2;
          continue;
        }
        if (bytes[at] !== QUOTE) {
          state = 'broken';
          break;
        }
        if (depth === 0) {
          at += 1;
          state = 'done';
          break;
        }
        const next = skipSpaces(bytes, at + 1, to);
        if (next >= to) break;
        at = next;
        if (AFTER[bytes[at] ?? 0] !== SEPARATOR) {
          state = 'broken';
          break;
        }
        if (bytes[at] === COLON) this.members += 1;
        inText = false;
      }
      while (at < to && OUTSIDE[bytes[at] ?? 0] === PLAIN) at += 1;
      if (at >= to) break;
      const byte = bytes[at] ?? 0;
      const kind = OUTSIDE[byte];
      if (kind === QUOTES) {
        inText = true;
        if (at + 2 >= to || (bytes[at + 1] === 0x24 && beginsExtended(bytes[at + 2]))) marks |= EXTENDED;
      } else if (kind === OPENS) {
        if (depth < MAX_DEPTH) open[depth] = byte;
        else marks |= TOO_DEEP;
        depth += 1;
      } else if (kind === CLOSES) {
        depth -= 1;
        // In ASCII, the codes of `}` and `]` are those of `{` and `[` plus two.
        if (depth < MAX_DEPTH && open[depth] !== byte - 2) state = 'broken';
        else if (depth === 0) state = 'done';
      } else if (kind === MINUS) {
        // Every negative number in JSON is parsed exactly. They are rare, and a float changes `-0`.
        marks |= EXACT_NUMBERS;
      } else if (kind === DIGIT) {
        const start = at;
        while (at < to && OUTSIDE[bytes[at] ?? 0] === DIGIT) at += 1;
        if (at - start > SAFE_DIGITS || at >= to || goesOn(bytes[at])) marks |= EXACT_NUMBERS;
        continue;
      } else {
        state = 'broken';
      }
      if (state !== 'broken') at += 1;
    }
    this.state = state;
    this.#depth = depth;
    this.#inText = inText;
    this.marks = marks;
    return at;
  }
}

/** Whether a JSON number continues with `.`, `e` or `E` after its digits, so that it may not be a whole number. */
const goesOn = (byte: number | undefined) => byte === 0x2e || byte === 0x65 || byte === 0x45;
/** Whether a byte is the `o`, `d` or `n` of `$oid`, `$date` or `$number…` in Extended JSON. */
const beginsExtended = (byte: number | undefined) => byte === 0x6f || byte === 0x64 || byte === 0x6e;

/** Size of a block that is read: so large that an await costs little, and small enough for the processor's cache. */
const BLOCK_BYTES = 64 * 1024;
/** Maximum size of a value that is parsed beside the lists of records. Settings of an export are never larger. */
const MAX_SMALL_BYTES = 64 * 1024;

/** Reads a JSON file block by block: the bytes in memory, the position in them, and the state of the value there. */
export class JsonInput {
  /** Bytes from `at` on have not been processed yet. */
  bytes: Buffer = Buffer.alloc(0);
  at = 0;
  /** The file ends with `bytes`. */
  isEnded = false;
  readonly scan = new Scan();
  readonly #source: AsyncIterator<Buffer>;
  /** Memory of `bytes`. */
  #memory: Buffer = Buffer.alloc(0);
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
   * Reads at least as many bytes of the JSON file as are held already, so that long values are not copied or
   * scanned again and again. The byte at `at` moves to index 0. Returns false at the end of the file.
   */
  async fill(): Promise<boolean> {
    const held = this.bytes.subarray(this.at);
    const chunks: Buffer[] = [];
    let size = held.length;
    const goal = size + Math.max(BLOCK_BYTES, size);
    while (size < goal && !this.isEnded) {
      const { value, done } = await this.#source.next();
      this.isEnded = done === true;
      if (done === true) continue;
      chunks.push(value);
      size += value.length;
    }
    // Memory that is too small is replaced, and so is memory that a long JSON value has made far too large.
    if (this.#memory.length < size || this.#memory.length > 4 * size)
      this.#memory = Buffer.allocUnsafeSlow(2 * size);
    let end = held.copy(this.#memory);
    for (const chunk of chunks) end += chunk.copy(this.#memory, end);
    this.#base += this.at;
    this.at = 0;
    this.bytes = this.#memory.subarray(0, size);
    return size > held.length;
  }

  /** Skips spaces. Returns the next byte without consuming it, or undefined at the end of the file. */
  async peek(): Promise<number | undefined> {
    do {
      this.at = skipSpaces(this.bytes, this.at, this.bytes.length);
      if (this.at < this.bytes.length) return this.bytes[this.at];
    } while (await this.fill());
    return undefined;
  }

  /**
   * Skips to the end of a JSON value of any length, without keeping its bytes.
   * @param inside opening bracket of an array or object, to skip from inside it to its end
   * @throws FileProblem if the value does not end, or if its texts and brackets are not those of JSON
   */
  async skip(what: string, beganAt = this.offset, inside?: number): Promise<void> {
    const scan = this.scan.start(inside);
    while (true) {
      this.at = scan.run(this.bytes, this.at, this.bytes.length);
      if (scan.state === 'done') return;
      if (scan.state === 'broken') throw brokenWithin(what, beganAt, this.offset);
      if (!(await this.fill())) throw truncated(what, beganAt);
    }
  }

  /**
   * Scans a JSON value and keeps it in memory, unless it is larger than `maxBytes`. Returns the number of bytes that
   * were scanned; `scan` says whether they are the whole value.
   */
  async measure(maxBytes: number): Promise<number> {
    const scan = this.scan.start();
    let sizeBytes = 0;
    do {
      sizeBytes = scan.run(this.bytes, this.at + sizeBytes, this.bytes.length) - this.at;
    } while (scan.state === 'open' && sizeBytes <= maxBytes && (await this.fill()));
    return sizeBytes;
  }

  /**
   * Parses a JSON value without consuming it. Returns undefined if it is larger than MAX_SMALL_BYTES, or nested
   * too deeply.
   * @throws FileProblem if the value is not JSON
   */
  async peekSmall(): Promise<{ value: unknown; sizeBytes: number } | undefined> {
    const sizeBytes = await this.measure(MAX_SMALL_BYTES);
    const { state, marks } = this.scan;
    if (state === 'broken') throw brokenWithin('a value', this.offset, this.offset + sizeBytes);
    if (sizeBytes > MAX_SMALL_BYTES || (marks & TOO_DEEP) !== 0) return undefined;
    if (state === 'open') throw truncated('a value', this.offset);
    const value = parseValue(this.bytes.toString('utf8', this.at, this.at + sizeBytes), marks);
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
}

/** Finds the values of an array or object, from its opening bracket, or the documents of a file, one after another. */
export class Values {
  isOver = false;
  /** A value was consumed, so a comma or the closing bracket must follow. */
  isAfter = false;
  readonly #json: JsonInput;
  readonly #beganAt: number;
  /** Undefined for the values of a file. */
  readonly #opening: number | undefined;

  constructor(json: JsonInput, isFile = false) {
    this.#json = json;
    this.#beganAt = json.offset;
    this.#opening = isFile ? undefined : json.bytes[json.at];
    if (!isFile) json.at += 1;
  }

  /** Moves to the next value, or to its name. Returns false after the last one, or if the next is not in memory. */
  find(): boolean {
    const json = this.#json;
    const { bytes } = json;
    json.at = skipSpaces(bytes, json.at, bytes.length);
    if (this.isAfter && this.#opening !== undefined && bytes[json.at] === COMMA) {
      this.isAfter = false;
      json.at = skipSpaces(bytes, json.at + 1, bytes.length);
    }
    if (json.at >= bytes.length) return false;
    if (this.#opening === undefined) {
      if (opensValue(bytes[json.at])) return true;
      throw invalidAt(json.offset, 'a document or the end of the file');
    }
    this.isOver = bytes[json.at] === this.#opening + 2;
    if (this.isOver) json.at += 1;
    else if (this.isAfter) throw invalidAt(json.offset, `a comma or the end of ${this.#what}`);
    return !this.isOver;
  }

  /**
   * Yields the name of each member of an object, or the number of each element of an array. The value is at `at`, and
   * the caller consumes it. A name that is too long is empty.
   */
  async *names(): AsyncGenerator<string> {
    const json = this.#json;
    for (let index = 0; await this.#next(); index += 1) {
      let name: unknown = String(index);
      if (this.#opening === OPEN_OBJECT) {
        if (json.bytes[json.at] !== QUOTE) throw invalidAt(json.offset, 'the name of a member');
        name = await json.readSmall();
        if ((await this.#peek()) !== COLON) throw invalidAt(json.offset, 'a colon');
        json.at += 1;
        await this.#peek();
      }
      yield typeof name === 'string' ? name : '';
      this.isAfter = true;
    }
  }

  async #next(): Promise<boolean> {
    while (!this.find()) {
      if (this.isOver) return false;
      if (!(await this.#json.fill())) throw this.truncated();
    }
    return true;
  }

  async skipRest(): Promise<void> {
    await this.#json.skip(this.#what, this.#beganAt, this.#opening);
    this.isOver = true;
  }

  get #what(): string {
    return this.#opening === OPEN_OBJECT ? 'an object' : 'an array';
  }

  truncated(): FileProblem {
    return truncated(this.#what, this.#beganAt);
  }

  async #peek(): Promise<number> {
    const byte = await this.#json.peek();
    if (byte === undefined) throw this.truncated();
    return byte;
  }
}

export const truncated = (what: string, beganAt: number): FileProblem =>
  truncatedFile(
    `The file ends too early: ${what} that begins at byte ${beganAt} has no end. Copy or export it again.`,
  );

/** Returns the problem of invalid JSON. It is one of the file, because the start of the next record is unknown. */
export const invalidAt = (offset: number, expected: string): FileProblem =>
  invalidFile(
    `Is not JSON at byte ${offset}, where ${expected} should be. Correct it there, or export it again.`,
  );

export const brokenWithin = (what: string, beganAt: number, offset: number): FileProblem =>
  invalidFile(
    `Is not JSON at byte ${offset}, which fits nowhere in ${what} that begins at byte ${beganAt}. Correct it there, or ` +
      'export it again with a writer that escapes quotes.',
  );
