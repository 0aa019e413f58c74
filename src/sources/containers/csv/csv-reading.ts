import type { CsvDialect } from './csv-dialect.ts';

/** How one reading takes the bytes of a file: a dialect without what only values depend on. */
export type ReadingRules = Pick<
  CsvDialect,
  'delimiter' | 'newline' | 'quote' | 'escaping' | 'escapesUnquoted'
>;

/** Why a file is not consistent under a reading. */
export interface ReadingProblem {
  /** The number of the record, from 1, the header included. */
  record: number;
  /** Completes "Row 7 …". Shows nothing of the row. */
  what: string;
}

/** Told by a reading where the bytes may mean something else in another one. It may be forked then. */
export interface ReadingWatcher {
  /** An unquoted cell begins with a character that may be a quote. */
  mayQuote(reading: Reading, char: string, bytes: Buffer, at: number, base: number): void;
  /** The first backslash. */
  mayEscape(reading: Reading, bytes: Buffer, at: number, base: number): void;
}

const LF = 10;
const CR = 13;
const BACKSLASH = 92;
const CAPITAL_N = 78;

// What a byte means, by its place. Bytes without meaning are 0, which the loops pass quickly.
const DELIMITER = 1;
const LINE_FEED = 2;
const CARRIAGE_RETURN = 3;
const QUOTE = 4;
const ESCAPE = 5;
/** A backslash that another reading may take for an escape. */
const MAYBE_ESCAPE = 6;
/** A character that another reading may take for a quote. */
const MAYBE_QUOTE = 7;

/** Where a reading is. */
const CELL_START = 0;
const UNQUOTED = 1;
const QUOTED = 2;
const AFTER_QUOTE = 3;
const ESCAPED = 4;
const ESCAPED_UNQUOTED = 5;
const AFTER_CR = 6;
const AFTER_QUOTE_CR = 7;

/** Characters that some writers can be told to put around cells: all of ASCII but letters, digits, blanks and control characters. */
const MAYBE_QUOTES: readonly number[] = Array.from({ length: 94 }, (_, index) => index + 33).filter(
  (code) => !/[0-9A-Za-z\\]/.test(String.fromCharCode(code)),
);

/** After a backslash within quotes: what Python, psql and MySQL escape there, besides the quote and the delimiter. */
const MAY_BE_ESCAPED: ReadonlySet<number> = new Set([...'\\\n\r0'].map((char) => char.charCodeAt(0)));
/** The same outside quotes, with the letters of COPY and `mysql --batch`. */
const MAY_BE_ESCAPED_UNQUOTED: ReadonlySet<number> = new Set(
  [...'\\\n\r0"bfnrtv'].map((char) => char.charCodeAt(0)),
);

/** Bytes kept of the chunk before: a cell that is `NULL`, and a carriage return after it. */
const TAIL_BYTES = 5;

/**
 * Reads a file under one dialect in constant memory, byte by byte, and finds whether the file is consistent under it: as a writer of
 * that dialect leaves it. It keeps no cells.
 */
export class Reading {
  readonly rules: ReadingRules;
  /** The first thing that no writer of this dialect writes. Nothing is read after it. */
  problem: ReadingProblem | undefined;
  /** The first record with fewer or more cells than the first one has, or a blank line between records. */
  ragged: ReadingProblem | undefined;
  /** Cells of the first record; -1 before. */
  columns = -1;
  /** Whether a record has fewer or more cells than the first one, empty cells at the end included. */
  isUneven = false;
  hasQuotes = false;
  /** Whether a quoted cell has a quote that is doubled. */
  hasDoubled = false;
  /** Whether a quoted cell has a line break in it; or a delimiter. */
  hasLineBreaks = false;
  hasDelimiters = false;
  /** Whether a backslash was read otherwise than as a character of the text. */
  hasEscapes = false;
  hasUnquotedEscapes = false;
  hasUnquotedBackslashes = false;
  /** Whether a `"` outside quotes is escaped. */
  hasEscapedQuotes = false;
  /** Unquoted cells that are `NULL` or `\N`. */
  nullWords = 0;
  /** Of readings without quotes: characters that stand within cells, though they may be quotes, and the first record of each. */
  readonly bareIn = new Map<string, number>();

  readonly #watcher: ReadingWatcher;
  readonly #unquoted = new Uint8Array(256);
  readonly #quoted = new Uint8Array(256);
  #place = CELL_START;
  #record = 1;
  /** Cells of this record that have ended, and how many of them count: all but empty ones at the end. */
  #cells = 0;
  #filled = 0;
  /** Cells of the first record, all but empty ones at the end. */
  #minCells = 0;
  /** Offset in the file. */
  #cellFrom = 0;
  #quotedIn = 0;
  #isCellQuoted = false;
  #blankLines = 0;
  #tail: Buffer = Buffer.alloc(0);

  constructor(rules: ReadingRules, watcher: ReadingWatcher) {
    this.rules = rules;
    this.#watcher = watcher;
    this.#setMeanings();
    if (rules.quote === undefined) {
      for (const code of MAYBE_QUOTES) if (this.#unquoted[code] === 0) this.#unquoted[code] = MAYBE_QUOTE;
    }
  }

  #setMeanings(): void {
    const { delimiter, quote, escaping, escapesUnquoted } = this.rules;
    const [unquoted, quoted] = [this.#unquoted, this.#quoted];
    unquoted[delimiter.charCodeAt(0)] = DELIMITER;
    unquoted[LF] = LINE_FEED;
    unquoted[CR] = CARRIAGE_RETURN;
    unquoted[BACKSLASH] = escapesUnquoted ? ESCAPE : MAYBE_ESCAPE;
    quoted[delimiter.charCodeAt(0)] = DELIMITER;
    quoted[LF] = LINE_FEED;
    quoted[CR] = CARRIAGE_RETURN;
    quoted[BACKSLASH] = escaping === 'doubled' ? MAYBE_ESCAPE : ESCAPE;
    if (quote === undefined) return;
    unquoted[quote.charCodeAt(0)] = QUOTE;
    quoted[quote.charCodeAt(0)] = QUOTE;
  }

  /** Returns a reading that has read the same so far, and goes on by other rules. */
  fork(changes: Partial<ReadingRules>): Reading {
    const copy = new Reading({ ...this.rules, ...changes }, this.#watcher);
    for (const code of MAYBE_QUOTES) {
      if (copy.#unquoted[code] === MAYBE_QUOTE) copy.#unquoted[code] = this.#unquoted[code] ?? 0;
    }
    copy.ragged = this.ragged;
    copy.columns = this.columns;
    copy.isUneven = this.isUneven;
    copy.hasQuotes = this.hasQuotes;
    copy.hasDoubled = this.hasDoubled;
    copy.hasLineBreaks = this.hasLineBreaks;
    copy.hasDelimiters = this.hasDelimiters;
    copy.hasUnquotedBackslashes = this.hasUnquotedBackslashes;
    copy.nullWords = this.nullWords;
    for (const [char, record] of this.bareIn) copy.bareIn.set(char, record);
    copy.#place = this.#place;
    copy.#record = this.#record;
    copy.#cells = this.#cells;
    copy.#filled = this.#filled;
    copy.#minCells = this.#minCells;
    copy.#cellFrom = this.#cellFrom;
    copy.#quotedIn = this.#quotedIn;
    copy.#isCellQuoted = this.#isCellQuoted;
    copy.#blankLines = this.#blankLines;
    copy.#tail = this.#tail;
    return copy;
  }

  /** Whether the next byte is within quotes. */
  get isQuoted(): boolean {
    return this.#place === QUOTED;
  }

  /**
   * @param from index of the first byte to read
   * @param base offset in the file of the first byte of the chunk
   */
  push(bytes: Buffer, from: number, base: number): void {
    let at = from;
    while (at < bytes.length && this.problem === undefined) at = this.#step(bytes, at, base);
    if (bytes.length >= TAIL_BYTES) this.#tail = bytes.subarray(bytes.length - TAIL_BYTES);
    else this.#tail = Buffer.concat([this.#tail, bytes]).subarray(-TAIL_BYTES);
  }

  /** Reads on to the end of a cell, to the end of the chunk, or to what means something. @returns where to go on */
  #step(bytes: Buffer, from: number, base: number): number {
    switch (this.#place) {
      case CELL_START:
        return this.#startCells(bytes, from, base);
      case UNQUOTED:
        return this.#passUnquoted(bytes, from, base);
      case QUOTED:
        return this.#passQuoted(bytes, from, base);
      case AFTER_QUOTE:
        return this.#afterQuote(bytes, from, base);
      case ESCAPED:
        return this.#escaped(bytes[from] as number, from);
      case ESCAPED_UNQUOTED:
        return this.#escapedUnquoted(bytes[from] as number, from, base);
      default:
        return this.#afterCr(bytes, from, base);
    }
  }

  /** Reads whole cells that are not quoted, which most are, in one loop. */
  #startCells(bytes: Buffer, from: number, base: number): number {
    const unquoted = this.#unquoted;
    let at = from;
    for (;;) {
      const first = bytes[at] as number;
      const meaning = unquoted[first];
      this.#cellFrom = base + at;
      this.#isCellQuoted = false;
      if (meaning === QUOTE) {
        this.#isCellQuoted = true;
        this.hasQuotes = true;
        this.#quotedIn = this.#record;
        this.#place = QUOTED;
        return at + 1;
      }
      if (meaning === MAYBE_QUOTE) {
        unquoted[first] = 0;
        this.#watcher.mayQuote(this, String.fromCharCode(first), bytes, at, base);
      }
      const start = at;
      while (at < bytes.length && unquoted[bytes[at] as number] === 0) at++;
      if (at === bytes.length || unquoted[bytes[at] as number] !== DELIMITER) {
        this.#place = UNQUOTED;
        return at;
      }
      this.#cells++;
      const length = at - start;
      if (length > 0) {
        this.#filled = this.#cells;
        if ((length === 4 || length === 2) && this.#isNull(bytes, start, length)) this.nullWords++;
      }
      at++;
      if (at === bytes.length) {
        this.#place = CELL_START;
        return at;
      }
    }
  }

  #passUnquoted(bytes: Buffer, from: number, base: number): number {
    const unquoted = this.#unquoted;
    let at = from;
    while (at < bytes.length && unquoted[bytes[at] as number] === 0) at++;
    if (at === bytes.length) return at;
    const code = bytes[at] as number;
    switch (unquoted[code]) {
      case DELIMITER:
        this.#endCell(bytes, at, base);
        this.#place = CELL_START;
        break;
      case LINE_FEED:
        if (this.rules.newline === '\n') {
          this.#endCell(bytes, at, base);
          this.#endRecord();
        } else this.#mixedLineEnds();
        break;
      case CARRIAGE_RETURN:
        if (this.rules.newline === '\r') {
          this.#endCell(bytes, at, base);
          this.#endRecord();
        } else this.#place = AFTER_CR;
        break;
      case QUOTE:
        this.#fail('has a quote within a cell that is not in quotes');
        break;
      case ESCAPE:
        this.#place = ESCAPED_UNQUOTED;
        break;
      case MAYBE_ESCAPE:
        unquoted[code] = 0;
        this.hasUnquotedBackslashes = true;
        this.#watcher.mayEscape(this, bytes, at, base);
        break;
      default:
        // A writer that may put this character around cells does so with each cell that has it.
        unquoted[code] = 0;
        this.bareIn.set(String.fromCharCode(code), this.#record);
    }
    return at + 1;
  }

  #passQuoted(bytes: Buffer, from: number, base: number): number {
    const quoted = this.#quoted;
    let at = from;
    while (at < bytes.length && quoted[bytes[at] as number] === 0) at++;
    if (at === bytes.length) return at;
    const code = bytes[at] as number;
    switch (quoted[code]) {
      case DELIMITER:
        this.hasDelimiters = true;
        quoted[code] = 0;
        break;
      case LINE_FEED:
      case CARRIAGE_RETURN:
        this.hasLineBreaks = true;
        quoted[LF] = 0;
        quoted[CR] = 0;
        break;
      case QUOTE:
        this.#place = AFTER_QUOTE;
        break;
      case ESCAPE:
        this.#place = ESCAPED;
        break;
      default:
        quoted[code] = 0;
        this.#watcher.mayEscape(this, bytes, at, base);
    }
    return at + 1;
  }

  #afterQuote(bytes: Buffer, at: number, base: number): number {
    const code = bytes[at] as number;
    switch (this.#unquoted[code]) {
      case QUOTE:
        this.hasDoubled = true;
        this.#place = QUOTED;
        break;
      case DELIMITER:
        this.#endCell(bytes, at, base);
        this.#place = CELL_START;
        break;
      case LINE_FEED:
        if (this.rules.newline === '\n') {
          this.#endCell(bytes, at, base);
          this.#endRecord();
        } else this.#mixedLineEnds();
        break;
      case CARRIAGE_RETURN:
        if (this.rules.newline === '\r') {
          this.#endCell(bytes, at, base);
          this.#endRecord();
        } else if (this.rules.newline === '\r\n') this.#place = AFTER_QUOTE_CR;
        else this.#mixedLineEnds();
        break;
      default:
        this.#fail('has a quoted cell that goes on after its closing quote');
    }
    return at + 1;
  }

  #escaped(code: number, at: number): number {
    const { quote, escaping, delimiter } = this.rules;
    const isQuote = code === quote?.charCodeAt(0);
    if (escaping === 'php') {
      // One backslash stands for itself, and keeps the next quote from being doubled.
      if (isQuote) this.hasEscapes = true;
      if (code !== BACKSLASH) this.#place = QUOTED;
      return at + 1;
    }
    this.hasEscapes = true;
    if (isQuote || MAY_BE_ESCAPED.has(code) || code === delimiter.charCodeAt(0)) this.#place = QUOTED;
    else this.#fail('has a backslash before a character that needs none');
    return at + 1;
  }

  #escapedUnquoted(code: number, at: number, base: number): number {
    const { quote, delimiter } = this.rules;
    this.hasEscapes = true;
    this.hasUnquotedEscapes = true;
    if (code === 34) this.hasEscapedQuotes = true;
    const isNull = code === CAPITAL_N && base + at === this.#cellFrom + 1;
    const isQuote = quote === undefined ? MAYBE_QUOTES.includes(code) : code === quote.charCodeAt(0);
    const isEscaped = MAY_BE_ESCAPED_UNQUOTED.has(code) || isQuote || code === delimiter.charCodeAt(0);
    if (isEscaped || isNull) this.#place = UNQUOTED;
    else this.#fail('has a backslash before a character that needs none');
    return at + 1;
  }

  /** After a carriage return outside quotes, where one alone is no line end. */
  #afterCr(bytes: Buffer, at: number, base: number): number {
    const code = bytes[at];
    const { newline } = this.rules;
    if (newline === '\r\n') {
      if (code !== LF) this.#mixedLineEnds();
      else {
        this.#endCell(bytes, at - 1, base);
        this.#endRecord();
      }
      return at + 1;
    }
    // A carriage return within a line is text.
    if (code === LF) this.#mixedLineEnds();
    this.#place = UNQUOTED;
    return at;
  }

  /** @param at index of the byte after the cell; negative if the cell ended in the chunk before */
  #endCell(bytes: Buffer, at: number, base: number): void {
    this.#cells++;
    const length = base + at - this.#cellFrom;
    if (!this.#isCellQuoted && length === 0) return;
    this.#filled = this.#cells;
    if (!this.#isCellQuoted && (length === 4 || length === 2) && this.#isNull(bytes, at - length, length)) {
      this.nullWords++;
    }
  }

  #isNull(bytes: Buffer, from: number, length: number): boolean {
    // Where backslashes escape, `\N` is certain.
    if (length === 2 && this.rules.escapesUnquoted) return false;
    if (from >= 0) return isNullWord(bytes, from, length);
    return isNullWord(Buffer.concat([this.#tail, bytes]), this.#tail.length + from, length);
  }

  #endRecord(): void {
    const [cells, filled] = [this.#cells, this.#filled];
    this.#place = CELL_START;
    this.#cells = 0;
    this.#filled = 0;
    if (cells === 1 && filled === 0) {
      this.#blankLines++;
      return;
    }
    if (this.columns < 0) {
      this.columns = cells;
      this.#minCells = filled;
    } else if (this.#blankLines > 0 && this.columns > 1) {
      this.ragged ??= { record: this.#record, what: 'has a blank line before it' };
    }
    this.#blankLines = 0;
    if (cells !== this.columns) this.isUneven = true;
    if (cells < this.#minCells || filled > this.columns) {
      const what = `has ${cells} ${cells === 1 ? 'cell' : 'cells'}, not ${this.columns}`;
      this.ragged ??= { record: this.#record, what };
    }
    this.#record++;
  }

  #mixedLineEnds(): void {
    const names = { '\n': 'LF', '\r\n': 'CRLF', '\r': 'CR' };
    this.#fail(`has a line end other than the ${names[this.rules.newline]} of the first line`);
  }

  #fail(what: string, record = this.#record): void {
    this.problem ??= { record, what };
  }

  /** @param size of the file */
  finish(size: number): void {
    if (this.problem !== undefined) return;
    switch (this.#place) {
      case QUOTED:
      case ESCAPED:
        this.#fail('has a quote that is never closed', this.#quotedIn);
        return;
      case ESCAPED_UNQUOTED:
        this.#fail('ends with a backslash');
        return;
      case AFTER_CR:
        if (this.rules.newline === '\n') this.#mixedLineEnds();
        this.#endCell(NOTHING, -1, size);
        break;
      case CELL_START:
        if (this.#cells === 0) return;
        this.#cellFrom = size;
        this.#isCellQuoted = false;
        this.#endCell(NOTHING, 0, size);
        break;
      default:
        this.#endCell(NOTHING, 0, size);
    }
    this.#endRecord();
  }
}

const NOTHING: Buffer = Buffer.alloc(0);

function isNullWord(bytes: Buffer, at: number, length: number): boolean {
  const text = bytes.toString('latin1', at, at + length);
  return text === 'NULL' || text === '\\N';
}
