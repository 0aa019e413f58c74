import { createCipheriv, createDecipheriv, hash, randomBytes } from 'node:crypto';
import { ByteBuilder } from '../../lib/buffers.ts';
import { deriveKeys } from '../../lib/secrets.ts';
import { isBlank, type RawLine } from '../input/line-splitter.ts';

/*
 * Each line has a mark, which shows whether a resumed stream has the same line in the same place. A mark is a byte
 * with the length of the digest, followed by the digest. It is no longer than the line, so the marks of a chunk take
 * at most as much room as its lines. Consecutive lines with the same mark share one mark, whose first byte has the
 * number of repeats in its upper half. Marks are only stored encrypted (`MarkSeal`), because a line may hold a
 * password in plain text.
 */

/** Maximum size of the digest in a mark. With 7 bytes, two different lines have the same one with probability 2^-56. */
const MAX_DIGEST_BYTES = 7;

/** Value of a mark's length field for lines that are not UTF-8 or too long. Such marks have no digest. */
const WITHOUT_TEXT = 8;

/** Number of repeats at which a mark is followed by a varint, the number of further repeats. */
const MANY = 15;

const LENGTHS = Array.from({ length: WITHOUT_TEXT + 1 }, (_, length) => String.fromCharCode(length));

/** Returns the mark, one character per byte. All blank lines have the same one. */
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

/** Encodes a number with seven bits per byte, lowest first. All bytes but the last have the eighth bit set. */
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

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Purpose of the keys. Keys for other purposes are derived from the same API keys. */
const USE = 'marks of imported lines';

/** Chunk to which encrypted marks are bound, so that they cannot be exchanged for those of another chunk. */
interface MarkedChunk {
  importId: string;
  firstLine: number;
}

/**
 * Encrypts the marks by which a resumed import recognises its lines (line-marks.ts). A line may hold a
 * plain-text password, which a reader of the database could quickly guess from plain SHA-256 digests. All
 * marks of a chunk are encrypted together, which costs almost nothing; an HMAC for each line would double the
 * cost of its digest (docs/adr/0031-marks-of-lines.md).
 */
export class MarkSeal {
  #keys: readonly Buffer[];

  /** @param secrets API keys of the service; the first encrypts, and any of them decrypts */
  constructor(secrets: readonly string[]) {
    this.#keys = deriveKeys(secrets, USE);
  }

  useSecrets(secrets: readonly string[]): void {
    this.#keys = deriveKeys(secrets, USE);
  }

  seal(chunk: MarkedChunk, marks: Buffer): Buffer {
    const [key] = this.#keys;
    if (key === undefined) throw new Error('sealing needs a key');
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, key, nonce).setAAD(associatedData(chunk));
    const sealed = [cipher.update(marks), cipher.final()];
    return Buffer.concat([nonce, cipher.getAuthTag(), ...sealed]);
  }

  /** Returns undefined if no key decrypts the marks, or if they belong to another chunk. */
  open(chunk: MarkedChunk, sealed: Buffer): Buffer | undefined {
    const nonce = sealed.subarray(0, NONCE_BYTES);
    const tag = sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES);
    if (tag.length < TAG_BYTES) return undefined;
    for (const key of this.#keys) {
      const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
      decipher.setAAD(associatedData(chunk)).setAuthTag(tag);
      const marks = decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES));
      try {
        return Buffer.concat([marks, decipher.final()]);
      } catch {}
    }
    return undefined;
  }
}

const associatedData = ({ importId, firstLine }: MarkedChunk) => Buffer.from(`${importId}\0${firstLine}`);
