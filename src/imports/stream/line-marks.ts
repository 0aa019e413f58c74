import { hash } from 'node:crypto';
import { ByteBuilder } from '../../lib/buffers/byte-builder.ts';
import { isBlank, type RawLine } from '../input/line-splitter.ts';

/*
 * The mark of a line shows whether a resumed stream holds the same line in the same place. It is a byte with the length of the digest,
 * followed by the digest. It is no longer than the line, so that the marks of a chunk need no more room than its lines. Consecutive lines
 * with the same mark are kept as one mark, with the number of repeats in the upper half of its first byte. Marks are only stored sealed
 * (sealed-marks.ts), because a line may hold a password in plain text.
 */

/** Two different lines of seven characters or more have the same mark once in 2^56. */
const MAX_DIGEST_BYTES = 7;

/** Takes the place of the length, for lines that are not UTF-8 or too long. */
const WITHOUT_TEXT = 8;

/** This many repeats, or more: a number of variable length follows the first byte. */
const MANY = 15;

/** The first bytes of marks, made once. */
const LENGTHS = Array.from({ length: WITHOUT_TEXT + 1 }, (_, length) => String.fromCharCode(length));

/** Returns the mark of a line, one character for each byte. Blank lines have the same one, whatever blanks they hold. */
export function lineMark(line: RawLine): string {
  const { text } = line;
  if (text === undefined) return LENGTHS[WITHOUT_TEXT] as string;
  if (isBlank(line)) return BLANK;
  const length = text.length < MAX_DIGEST_BYTES ? text.length : MAX_DIGEST_BYTES;
  return (LENGTHS[length] as string) + hash('sha256', text, 'binary').slice(0, length);
}

const BLANK = LENGTHS[0] as string;

/** Collects the marks of lines that follow each other. */
export class LineMarks {
  readonly #bytes = new ByteBuilder();
  /** The mark of the last line, which is not among the bytes yet: the next line may repeat it. */
  #last: string | undefined;
  #repeats = 0;

  get capacity(): number {
    return this.#bytes.capacity;
  }

  add(lines: readonly RawLine[]): void {
    let text = '';
    for (const line of lines) {
      const mark = lineMark(line);
      if (mark === this.#last) {
        this.#repeats += 1;
        continue;
      }
      text += this.#takeLast();
      this.#last = mark;
    }
    this.#bytes.addText(text, 'latin1');
  }

  /** Returns a view of the memory: it shows other bytes once the marks are cleared and others are added. */
  bytes(): Buffer {
    this.#bytes.addText(this.#takeLast(), 'latin1');
    return this.#bytes.bytes();
  }

  clear(): void {
    this.#bytes.clear();
    this.#last = undefined;
    this.#repeats = 0;
  }

  #takeLast(): string {
    const mark = this.#last;
    if (mark === undefined) return '';
    const repeats = this.#repeats;
    this.#last = undefined;
    this.#repeats = 0;
    if (repeats === 0) return mark;
    const first = mark.charCodeAt(0) | (Math.min(repeats, MANY) << 4);
    return `${String.fromCharCode(first)}${repeats < MANY ? '' : number(repeats - MANY)}${mark.slice(1)}`;
  }
}

/** Seven bits a byte, the lowest first; all bytes but the last have the eighth bit set. */
function number(value: number): string {
  return value < 0x80
    ? String.fromCharCode(value)
    : String.fromCharCode((value & 0x7f) | 0x80) + number(value >>> 7);
}

/** Returns the marks of the lines, by line index. */
export function readMarks(bytes: Buffer): string[] {
  const marks: string[] = [];
  for (let place = 0; place < bytes.length; ) {
    const first = bytes[place++] as number;
    let repeats = first >> 4;
    if (repeats === MANY) {
      for (let shift = 0; ; shift += 7) {
        const byte = bytes[place++] ?? 0;
        repeats += (byte & 0x7f) << shift;
        if (byte < 0x80) break;
      }
    }
    const length = first & 0x0f;
    const end = place + (length === WITHOUT_TEXT ? 0 : length);
    const mark = (LENGTHS[length] ?? '') + bytes.toString('latin1', place, end);
    place = end;
    for (let count = 0; count <= repeats; count += 1) marks.push(mark);
  }
  return marks;
}
