import { hash } from 'node:crypto';
import { ByteBuilder } from '../../lib/buffers/byte-builder.ts';
import { isBlank, type RawLine } from '../input/line-splitter.ts';

/*
 * Each line has a mark, which shows whether a resumed stream has the same line in the same place. A mark is a byte
 * with the length of the digest, followed by the digest. It is no longer than the line, so the marks of a chunk take
 * at most as much room as its lines. Consecutive lines with the same mark share one mark, whose first byte has the
 * number of repeats in its upper half. Marks are only stored encrypted (sealed-marks.ts), because a line may hold a
 * password in plain text.
 */

/** Maximum size of the digest in a mark. With 7 bytes, two different lines have the same one with probability 2^-56. */
const MAX_DIGEST_BYTES = 7;

/** Value of a mark's length field for lines that are not UTF-8 or too long. Such marks have no digest. */
const WITHOUT_TEXT = 8;

/** Number of repeats at which a mark is followed by a varint, the number of further repeats. */
const MANY = 15;

const LENGTHS = Array.from({ length: WITHOUT_TEXT + 1 }, (_, length) => String.fromCharCode(length));

/** Returns one character per byte. All blank lines have the same mark. */
export function lineMark(line: RawLine): string {
  const { text } = line;
  if (text === undefined) return LENGTHS[WITHOUT_TEXT] as string;
  if (isBlank(line)) return BLANK;
  const length = text.length < MAX_DIGEST_BYTES ? text.length : MAX_DIGEST_BYTES;
  return (LENGTHS[length] as string) + hash('sha256', text, 'binary').slice(0, length);
}

const BLANK = LENGTHS[0] as string;

export class LineMarks {
  readonly #bytes = new ByteBuilder();
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

  /** Returns the marks without copying them. Clearing or adding marks changes the bytes. */
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

/** Encodes seven bits per byte, lowest first. All bytes but the last have the eighth bit set. */
function number(value: number): string {
  return value < 0x80
    ? String.fromCharCode(value)
    : String.fromCharCode((value & 0x7f) | 0x80) + number(value >>> 7);
}

/** Decodes marks, by line index. */
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
