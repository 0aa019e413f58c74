import { isUtf8 } from 'node:buffer';
import { ByteBuilder } from '../../lib/buffers.ts';

export interface RawLine {
  /** Line number from 1. Blank lines count, so it is the number that an editor shows. */
  line: number;
  text: string | undefined;
  problem?: 'not-utf8' | 'too-long';
}

/** Consecutive lines of an import and their bytes, without the last line break. */
export interface LineBlock {
  lines: readonly RawLine[];
  bytes: Buffer;
}

const LINE_FEED = 0x0a;
const BYTE_ORDER_MARK = '\uFEFF';
/** Bytes that do not count for the limit of a line: a byte order mark (3) and a carriage return (1). */
const EXTRA_BYTES = 4;

/**
 * Splits a stream into lines. Returns them with their original bytes, from which a chunk can read them again. Buffers
 * at most one unfinished line.
 */
export class LineSplitter {
  readonly #maxBytes: number;
  #line = 1;
  /** First bytes of the unfinished line. Never more than are needed to see that the line is too long. */
  readonly #rest = new ByteBuilder();
  #size = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  push(bytes: Buffer): LineBlock[] {
    const blocks: LineBlock[] = [];
    let start = 0;
    if (this.#size > 0) {
      const end = bytes.indexOf(LINE_FEED);
      if (end === -1) {
        this.#keep(bytes);
        return blocks;
      }
      this.#keep(bytes.subarray(0, end));
      blocks.push(this.#finish());
      start = end + 1;
    }
    const last = bytes.lastIndexOf(LINE_FEED);
    if (last >= start) {
      blocks.push(this.#block(bytes.subarray(start, last)));
      start = last + 1;
    }
    if (start < bytes.length) this.#keep(bytes.subarray(start));
    return blocks;
  }

  end(): LineBlock[] {
    return this.#size === 0 ? [] : [this.#finish()];
  }

  #keep(bytes: Buffer): void {
    const room = this.#maxBytes + EXTRA_BYTES + 1 - this.#size;
    if (room > 0) this.#rest.add(bytes.subarray(0, room));
    this.#size += bytes.length;
  }

  #finish(): LineBlock {
    const bytes = Buffer.from(this.#rest.bytes());
    this.#rest.clear();
    this.#size = 0;
    return this.#block(bytes);
  }

  #block(bytes: Buffer): LineBlock {
    const lines = readLines(bytes, this.#line, this.#maxBytes);
    this.#line += lines.length;
    return { lines, bytes };
  }
}

const BLANK = /^[ \t\r]*$/;

export const isBlank = ({ text }: RawLine): boolean =>
  text !== undefined && (text === '' || (text.charCodeAt(0) <= 0x20 && BLANK.test(text)));

/** Number of lines that a chunk can still take. `lines` limits lines of any kind, `filled` those that are not blank. */
export interface LineRoom {
  lines: number;
  filled: number;
}

export function cutBlock(block: LineBlock, room: LineRoom): [LineBlock, LineBlock | undefined] {
  const { lines, bytes } = block;
  const count = linesWithin(lines, room);
  if (count === lines.length) return [block, undefined];
  let end = -1;
  for (let found = 0; found < count; ) {
    end += 1;
    if (bytes[end] === LINE_FEED) found += 1;
  }
  return [
    { lines: lines.slice(0, count), bytes: bytes.subarray(0, end) },
    { lines: lines.slice(count), bytes: bytes.subarray(end + 1) },
  ];
}

function linesWithin(all: readonly RawLine[], { lines, filled }: LineRoom): number {
  // Fast path: nearly always, all lines fit.
  if (all.length <= Math.min(lines, filled)) return all.length;
  let left = filled;
  const end = Math.min(all.length, lines);
  for (let count = 0; count < end; count += 1) {
    if (!isBlank(all[count] as RawLine)) left -= 1;
    if (left < 0) return count;
  }
  return end;
}

export function readLines(bytes: Buffer, firstLine: number, maxBytes: number): RawLine[] {
  if (isUtf8(bytes)) {
    const texts = bytes.toString('utf8').split('\n');
    return texts.map((text, lineIndex) => lineOf(text, firstLine + lineIndex, maxBytes));
  }
  const lines: RawLine[] = [];
  for (let start = 0; start <= bytes.length; ) {
    const found = bytes.indexOf(LINE_FEED, start);
    const end = found === -1 ? bytes.length : found;
    lines.push(decode(bytes.subarray(start, end), firstLine + lines.length, maxBytes));
    start = end + 1;
  }
  return lines;
}

function decode(bytes: Buffer, line: number, maxBytes: number): RawLine {
  if (isUtf8(bytes)) return lineOf(bytes.toString('utf8'), line, maxBytes);
  const isTooLong = bytes.length > maxBytes + EXTRA_BYTES;
  return { line, text: undefined, problem: isTooLong ? 'too-long' : 'not-utf8' };
}

function lineOf(raw: string, line: number, maxBytes: number): RawLine {
  let text = raw.endsWith('\r') ? raw.slice(0, -1) : raw;
  if (line === 1 && text.startsWith(BYTE_ORDER_MARK)) text = text.slice(1);
  const isTooLong =
    text.length * 3 > maxBytes && (text.length > maxBytes || Buffer.byteLength(text) > maxBytes);
  return isTooLong ? { line, text: undefined, problem: 'too-long' } : { line, text };
}
