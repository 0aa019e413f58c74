import { isUtf8 } from 'node:buffer';
import { incompleteTail, isContinuation } from '../decode-bytes.ts';
import { FileProblem, MAX_RECORD_BYTES } from '../table.ts';

/** Returned in place of an index if the part of the dump in memory ends too early. */
export const MORE = -1;
/**
 * Returned in place of an index if there is no value that the reader understands. Near the end of the part in
 * memory it may also mean that more is needed.
 */
export const INVALID = -2;

/** Bytes that stay in memory after they are read: the meaning of some signs depends on the text before. */
export const LOOKBEHIND = 16;

/** With fewer bytes after it in memory, the start of a statement or an invalid value may just be cut off. */
export const LOOKAHEAD = 128;

/**
 * The part of a dump in memory, and the position of the reader in it. Its text has one character per byte. All
 * signs of SQL are ASCII, so indexes count bytes, and quotes are found at the speed of memchr.
 */
export class Input {
  bytes: Buffer = Buffer.alloc(0);
  text = '';
  pos = 0;
  /** Offset of the first byte in the file. */
  offset = 0;
  isEnd = false;
  /** Encoding that the dump declares, if it is not UTF-8 and the operator named none. */
  foreignCharset: string | undefined;
  /** Whether the dump may have an encoding in which a backslash can be the second byte of a character. */
  mayEmbedBackslashes = false;
  #backslash = -1;
  #tab = -1;
  #wide = -1;
  #isUtf8: boolean | undefined;

  /** Replaces the part in memory. `bytes` begin with those that are not read yet. */
  load(bytes: Buffer, pos: number, offset: number, isEnd: boolean): void {
    this.bytes = bytes;
    this.text = bytes.toString('latin1');
    this.offset = offset;
    this.isEnd = isEnd;
    this.#isUtf8 = undefined;
    this.rewind(pos);
  }

  /** Moves back, and clears the caches, which are valid for searches in ascending order only. */
  rewind(pos: number): void {
    this.pos = pos;
    this.#backslash = -1;
    this.#tab = -1;
    this.#wide = -1;
  }

  /** Whether the unread text in memory is longer than the longest permitted row. */
  get isTooLong(): boolean {
    return this.text.length - this.pos > MAX_RECORD_BYTES;
  }

  /** Whether the end of the file, and not only of the part in memory, is `pos`. */
  endsAt(pos: number): boolean {
    return this.isEnd && pos >= this.text.length;
  }

  /** Returns the index of the next backslash. Queries in ascending order cost one pass in total. */
  backslashFrom(pos: number): number {
    if (this.#backslash < pos) this.#backslash = indexFrom(this.text, '\\', pos);
    return this.#backslash;
  }

  tabFrom(pos: number): number {
    if (this.#tab < pos) this.#tab = indexFrom(this.text, '\t', pos);
    return this.#tab;
  }

  hasWide(start: number, end: number): boolean {
    if (this.#wide < start) {
      WIDE.lastIndex = start;
      this.#wide = WIDE.exec(this.text)?.index ?? Number.POSITIVE_INFINITY;
    }
    return this.#wide < end;
  }

  /** @throws FileProblem ENCODING_INVALID if the text is not UTF-8 */
  textBetween(start: number, end: number): string {
    if (!this.hasWide(start, end)) return this.text.substring(start, end);
    if (this.foreignCharset !== undefined) throw this.notUtf8(start);
    this.#isUtf8 ??= isUtf8(wholeCharacters(this.bytes));
    if (!this.#isUtf8 && !isUtf8(this.bytes.subarray(start, end))) throw this.notUtf8(start);
    return this.bytes.toString('utf8', start, end);
  }

  notUtf8(pos: number): FileProblem {
    const at = `The text at byte ${this.offset + pos} is not`;
    return new FileProblem(
      'ENCODING_INVALID',
      this.foreignCharset === undefined
        ? `${at} valid UTF-8. If the file is in another encoding, name it: --encoding latin1.`
        : `${at} ASCII, and the dump is in ${this.foreignCharset}. ` +
            'Name the encoding: --encoding latin1, or --encoding utf-8 if its bytes are UTF-8 nevertheless.',
    );
  }

  /** @throws ProblemAt ENCODING_INVALID if the backslash may belong to a character of GBK, Big5 or Shift_JIS */
  checkEscape(backslash: number): void {
    if (!this.mayEmbedBackslashes) return;
    const before = this.bytes[backslash - 1] ?? 0;
    if (before < 0x81 || before === 0xff) return;
    // A character of UTF-8 has at most four bytes.
    for (let start = backslash - 1; start >= Math.max(0, backslash - 4); start--) {
      if (!isContinuation(this.bytes[start]) && isUtf8(this.bytes.subarray(start, backslash))) return;
    }
    throw this.problemAt(
      backslash - 1,
      (place) =>
        `The text at ${place} is not valid UTF-8, and the dump does not name its encoding. ` +
        'Name it: --encoding gbk, shift_jis or latin1; or, if the text holds bytes, dump it with --hex-blob.',
      'ENCODING_INVALID',
    );
  }

  /** A backslash in a text is an escape in MySQL, and text in most other systems. */
  unsureBackslash(pos: number): ProblemAt {
    return this.problemAt(
      pos,
      (place) =>
        `The text at ${place} has a backslash, and nothing before it shows whether backslashes are escapes. ` +
        'Name the system that wrote the dump: --sql-dialect postgres, mysql, mysql-no-backslash, sqlite or mssql.',
    );
  }

  unreadable(pos: number, what: string): ProblemAt {
    return this.problemAt(
      pos,
      (place) =>
        `${what} at ${place} cannot be read, and its end is uncertain. Nothing after it is read. ` +
        'Correct or remove it. If the dump is from another system than it seems, name the system: --sql-dialect.',
    );
  }

  problemAt(
    pos: number,
    describe: (place: string) => string,
    code: FileProblem['code'] = 'FILE_INVALID',
  ): ProblemAt {
    return new ProblemAt(code, this.offset + pos, describe);
  }
}

/** A problem at a place of the dump. Its message needs the line, for which `readSql` reads the file again. */
export class ProblemAt extends Error {
  readonly code: FileProblem['code'];
  readonly offset: number;
  /** Returns the message for the operator. */
  readonly describe: (place: string) => string;

  constructor(code: FileProblem['code'], offset: number, describe: (place: string) => string) {
    super(describe(`byte ${offset}`));
    this.name = 'ProblemAt';
    this.code = code;
    this.offset = offset;
    this.describe = describe;
  }
}

const WIDE = /[\x80-\xff]/g;

/** Returns the index of a sign, or infinity. */
export function indexFrom(text: string, sign: string, pos: number): number {
  const found = text.indexOf(sign, pos);
  return found === -1 ? Number.POSITIVE_INFINITY : found;
}

function wholeCharacters(bytes: Buffer): Buffer {
  let start = 0;
  while (start < 3 && isContinuation(bytes[start])) start++;
  return bytes.subarray(start, Math.max(start, bytes.length - incompleteTail(bytes)));
}

/** @throws FileProblem FILE_TRUNCATED at the end of the file, because something that has begun needs more */
export function* more(input: Input): Generator<void> {
  if (input.isEnd) throw truncated(input, 'the rest of a statement');
  yield;
}

export const truncated = ({ offset, text }: Input, missing: string): FileProblem =>
  new FileProblem(
    'FILE_TRUNCATED',
    `The file ends at byte ${offset + text.length}, and ${missing} is missing. The file is incomplete: export it again.`,
  );
