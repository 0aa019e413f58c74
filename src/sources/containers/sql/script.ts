import { isUtf8 } from 'node:buffer';
import { isContinuation } from '../decode-bytes.ts';
import { type FileProblem, invalidFile, MAX_RECORD_BYTES, truncatedFile, wrongEncoding } from '../table.ts';
import { foreignCharset, lacksCharset, type Session } from './dialects.ts';

/** Thrown if the part of the dump in memory ends too early. `Script.whole` then loads more, and reads again. */
export const MORE = Symbol('more');
/** Thrown if a row has something that is not a value, or a value that the reader does not understand. */
export const INVALID = Symbol('invalid');

/** Number of characters that stay in memory after they are read, because some signs depend on the text before them. */
export const LOOKBEHIND = 16;

/** Number of characters that must be in memory after a position, so that no sign, word or line end there is cut off. */
export const LOOKAHEAD = 128;

const WIDE = /[\x80-\xff]/;

/**
 * The part of a dump in memory, the position of the reader in it, and the settings that the dump has made so far.
 * The text has one character per byte. All signs of SQL are ASCII, so quotes are found at the speed of memchr.
 */
export class Script {
  text = '';
  pos = 0;
  /** Offset of the first character in the file. */
  offset = 0;
  isEnd = false;
  readonly session: Session;
  #backslash = -1;
  #line = 1;
  #counted = 0;

  constructor(session: Session) {
    this.session = session;
  }

  /** Adds the next part of the dump, and drops the text that has been read. */
  load(text: string, isEnd: boolean): void {
    const start = Math.max(0, this.pos - LOOKBEHIND);
    this.lineAt(start);
    this.#counted -= start;
    this.text = this.text.slice(start) + text;
    this.offset += start;
    this.isEnd = isEnd;
    this.rewind(this.pos - start);
  }

  /** Moves the position back, and forgets the last backslash that was found: `backslashFrom` only searches forward. */
  rewind(pos: number): void {
    this.pos = pos;
    this.#backslash = -1;
  }

  /** Number of characters in memory that are not read yet. */
  get ahead(): number {
    return this.text.length - this.pos;
  }

  /** Whether the file, and not only the part in memory, ends at `pos`. */
  endsAt(pos: number): boolean {
    return this.isEnd && pos >= this.text.length;
  }

  /** Yields until more is in memory. @throws FileProblem FILE_TRUNCATED, because something that has begun needs more */
  *more(): Generator<void> {
    if (this.isEnd) throw this.truncated('the rest of a statement');
    yield;
  }

  /**
   * Reads something that must be in memory as a whole. Loads more and begins again at the same position until it is.
   * @returns undefined if it is longer than `longest`
   */
  *whole<Read>(read: () => Read, longest = MAX_RECORD_BYTES): Generator<void, Read | undefined> {
    for (;;) {
      const start = this.pos;
      try {
        return read();
      } catch (problem) {
        if (problem !== MORE) throw problem;
      }
      this.rewind(start);
      if (this.ahead > longest) return undefined;
      yield* this.more();
    }
  }

  /** @throws MORE if a sign, word or line end at `pos` may be cut off */
  look(pos: number): void {
    if (pos + LOOKAHEAD > this.text.length && !this.isEnd) throw MORE;
  }

  matches(pattern: RegExp, pos = this.pos): string | undefined {
    pattern.lastIndex = pos;
    return pattern.exec(this.text)?.[0];
  }

  /** Returns the index of the next backslash, or infinity. Calls with ascending positions cost one pass in total. */
  backslashFrom(pos: number): number {
    if (this.#backslash < pos) this.#backslash = indexFrom(this.text, '\\', pos);
    return this.#backslash;
  }

  /**
   * Decodes the text of a value from its bytes.
   * @param pos position of the value, for the message
   * @throws FileProblem ENCODING_INVALID if the bytes are not UTF-8
   */
  decoded(bytes: string, pos: number): string {
    if (!WIDE.test(bytes)) return bytes;
    const buffer = Buffer.from(bytes, 'latin1');
    const charset = foreignCharset(this.session);
    if (charset === undefined && isUtf8(buffer)) return buffer.toString();
    const at = `The text at byte ${this.offset + pos} is not`;
    throw wrongEncoding(
      charset === undefined
        ? `${at} valid UTF-8. If the file is in another encoding, name it: --encoding latin1.`
        : `${at} ASCII, and the dump is in ${charset}. ` +
            'Name the encoding: --encoding latin1, or --encoding utf-8 if its bytes are UTF-8 nevertheless.',
    );
  }

  /** @throws FileProblem ENCODING_INVALID if the backslash may belong to a character of GBK, Big5 or Shift_JIS */
  checkEscape(backslash: number): void {
    const before = this.text.charCodeAt(backslash - 1);
    if (!(before >= 0x81) || before === 0xff || !lacksCharset(this.session)) return;
    const bytes = Buffer.from(this.text.slice(Math.max(0, backslash - 4), backslash), 'latin1');
    // A character of UTF-8 has at most four bytes.
    for (let start = 0; start < bytes.length; start++)
      if (!isContinuation(bytes[start]) && isUtf8(bytes.subarray(start))) return;
    throw wrongEncoding(
      `The text at line ${this.lineAt(backslash)} is not valid UTF-8, and the dump does not name its encoding. ` +
        'Name it: --encoding gbk, shift_jis or latin1; or, if the text holds bytes, dump it with --hex-blob.',
    );
  }

  /** Returns the line number of a position. Positions must ascend: for an earlier one, the last number is returned. */
  lineAt(pos: number): number {
    this.#line += this.text.slice(this.#counted, pos).split('\n').length - 1;
    this.#counted = Math.max(this.#counted, pos);
    return this.#line;
  }

  /** Returns the problem of text with an uncertain meaning, so that nothing after it can be trusted. */
  unreadable(pos: number, what: string): FileProblem {
    return invalidFile(
      `${what} at line ${this.lineAt(pos)} cannot be read, and its end is uncertain. Nothing after it is read. ` +
        'Correct or remove it. If the dump is from another system than it seems, name the system: --sql-dialect.',
    );
  }

  truncated(missing: string): FileProblem {
    return truncatedFile(
      `The file ends at byte ${this.offset + this.text.length}, and ${missing} is missing. The file is incomplete: export it again.`,
    );
  }
}

/** Returns the problem of a statement that is neither read nor known to change no rows (statement-list.ts). */
export const notRead = (line: number, what: string): FileProblem =>
  invalidFile(
    `${what} at line ${line} is not read: it may change rows, and statements are not executed here. Load the dump into ` +
      'a database, and name that (postgres://… or mysql://…) or dump it again. If it changes no users, remove it.',
  );

/** Returns the index of a sign from a position on, or infinity if there is none. */
export function indexFrom(text: string, sign: string, pos: number): number {
  const found = text.indexOf(sign, pos);
  return found === -1 ? Number.POSITIVE_INFINITY : found;
}
