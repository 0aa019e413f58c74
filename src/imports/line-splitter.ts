import { isUtf8 } from 'node:buffer';
import { hash } from 'node:crypto';

/** One line as it came, without its line break. */
export interface RawLine {
  /** From 1; blank lines count, so that it is the line an editor shows. */
  line: number;
  /** Undefined where it is not UTF-8 or too long. */
  text: string | undefined;
  problem?: 'not-utf8' | 'too-long';
}

const LINE_FEED = 0x0a;
const BYTE_ORDER_MARK = '\uFEFF';
/** What a line may have beside what counts: a byte order mark and a carriage return. */
const EXTRA_BYTES = 4;

/** Cuts a stream of bytes into lines. Holds at most one unfinished line, of at most `maxBytes`. */
export class LineSplitter {
  readonly #maxBytes: number;
  #line = 1;
  /** The unfinished line: its first bytes, and how many there are. */
  #parts: Buffer[] = [];
  #size = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The lines that end in these bytes. */
  push(bytes: Buffer): RawLine[] {
    const lines: RawLine[] = [];
    let start = 0;
    if (this.#size > 0) {
      const end = bytes.indexOf(LINE_FEED);
      if (end === -1) {
        this.#keep(bytes);
        return lines;
      }
      this.#keep(bytes.subarray(0, end));
      lines.push(this.#finish());
      start = end + 1;
    }
    const last = bytes.lastIndexOf(LINE_FEED);
    if (last >= start) {
      this.#split(bytes.subarray(start, last), lines);
      start = last + 1;
    }
    if (start < bytes.length) this.#keep(bytes.subarray(start));
    return lines;
  }

  /** The last line, where no line break follows it. */
  end(): RawLine[] {
    return this.#size === 0 ? [] : [this.#finish()];
  }

  /** Whole lines, decoded at once where all of them can be. */
  #split(block: Buffer, lines: RawLine[]): void {
    if (isUtf8(block)) {
      for (const text of block.toString('utf8').split('\n')) lines.push(this.#next(text));
      return;
    }
    let start = 0;
    while (start <= block.length) {
      const found = block.indexOf(LINE_FEED, start);
      const end = found === -1 ? block.length : found;
      lines.push(this.#decode(block.subarray(start, end)));
      start = end + 1;
    }
  }

  #keep(bytes: Buffer): void {
    const room = this.#maxBytes + EXTRA_BYTES - this.#size;
    // A copy: a small rest would keep the whole network buffer.
    if (room > 0) this.#parts.push(Buffer.from(bytes.subarray(0, room)));
    this.#size += bytes.length;
  }

  #finish(): RawLine {
    const bytes = Buffer.concat(this.#parts);
    const size = this.#size;
    this.#parts = [];
    this.#size = 0;
    return this.#decode(bytes, size);
  }

  /** `size`: of the line; `bytes` may be its beginning. */
  #decode(bytes: Buffer, size = bytes.length): RawLine {
    if (size > this.#maxBytes + EXTRA_BYTES) return this.#bad('too-long');
    return isUtf8(bytes) ? this.#next(bytes.toString('utf8')) : this.#bad('not-utf8');
  }

  #bad(problem: 'not-utf8' | 'too-long'): RawLine {
    return { line: this.#line++, text: undefined, problem };
  }

  #next(raw: string): RawLine {
    const line = this.#line++;
    let text = raw.endsWith('\r') ? raw.slice(0, -1) : raw;
    if (line === 1 && text.startsWith(BYTE_ORDER_MARK)) text = text.slice(1);
    const isTooLong =
      text.length * 3 > this.#maxBytes &&
      (text.length > this.#maxBytes || Buffer.byteLength(text) > this.#maxBytes);
    return isTooLong ? { line, text: undefined, problem: 'too-long' } : { line, text };
  }
}

export const DIGEST_BYTES = 8;

/** Tells lines apart: two that differ have the same digest once in 2^64. Of a line that has no text, zeros. */
export function lineDigest({ text }: RawLine): string {
  return text === undefined
    ? '\0'.repeat(DIGEST_BYTES)
    : hash('sha256', text, 'binary').slice(0, DIGEST_BYTES);
}
