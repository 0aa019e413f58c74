import { CR, LF } from './characters.ts';
import {
  CARRIAGE_RETURN,
  DELIMITER,
  ESCAPE,
  isEscaped,
  LINE_FEED,
  MAYBE_ESCAPE,
  MAYBE_QUOTE,
  QUOTE,
  quotedMeanings,
  type ReadingRules,
  unquotedMeanings,
} from './meanings.ts';
import { OpenCell } from './open-cell.ts';
import { ReadingFacts } from './reading-facts.ts';
import { type ReadingProblem, RowShape } from './row-shape.ts';
import { WholeCells } from './whole-cells.ts';

/** Called where another CSV dialect would interpret the text differently, to fork the trial there. */
export interface ReadingWatcher {
  /** An unquoted CSV cell begins with a character that may be a quote. */
  mayQuote(reading: Reading, char: string, text: string, at: number, base: number): void;
  /** The first backslash of a CSV file may be an escape. */
  mayEscape(reading: Reading, text: string, at: number, base: number): void;
}

// States of the CSV reader: its position relative to cells and quotes.
const CELL_START = 0;
const UNQUOTED = 1;
const QUOTED = 2;
const AFTER_QUOTE = 3;
const ESCAPED = 4;
const ESCAPED_UNQUOTED = 5;
const AFTER_CR = 6;
const AFTER_NULL = 7;

const NEEDLESS_BACKSLASH = 'has a backslash before a character that needs none';

/**
 * Reads a CSV file under one dialect in constant memory, and checks whether a writer of this dialect could
 * have written the file. Keeps no cells. The text has one character per byte of the file.
 */
export class Reading {
  readonly rules: ReadingRules;
  /** The first place in the CSV file that contradicts the dialect, where its trial stops. */
  problem: ReadingProblem | undefined;
  shape = new RowShape();
  facts = new ReadingFacts();

  readonly #watcher: ReadingWatcher;
  readonly #unquoted: Uint8Array;
  readonly #quoted: Uint8Array;
  readonly #wholeCells: WholeCells;
  #place = CELL_START;
  #cell = new OpenCell();
  /** Number of the CSV record in which the last quoted cell began. */
  #quotedIn = 0;

  constructor(rules: ReadingRules, watcher: ReadingWatcher) {
    this.rules = rules;
    this.#watcher = watcher;
    this.#unquoted = unquotedMeanings(rules);
    this.#quoted = quotedMeanings(rules);
    this.#wholeCells = new WholeCells(rules, this.#unquoted, this.#quoted);
  }

  /** Treats a character as plain text in the unquoted CSV cells that follow. */
  #forget(code: number): void {
    this.#unquoted[code] = 0;
    this.#wholeCells.changeMeanings();
  }

  /** Returns a trial of a changed CSV dialect that has read as much of the file, and continues here. */
  fork(changes: Partial<ReadingRules>): Reading {
    const copy = new Reading({ ...this.rules, ...changes }, this.#watcher);
    for (const [code, meaning] of copy.#unquoted.entries()) {
      if (meaning === MAYBE_QUOTE) copy.#unquoted[code] = this.#unquoted[code] ?? 0;
    }
    copy.#wholeCells.changeMeanings();
    copy.shape = this.shape.copy();
    copy.facts = this.facts.copy();
    copy.#place = this.#place;
    copy.#cell = this.#cell.copy();
    copy.#quotedIn = this.#quotedIn;
    return copy;
  }

  get isQuoted(): boolean {
    return this.#place === QUOTED;
  }

  /** `from`: index of the first character to read. `base`: offset of the text in the CSV file. */
  push(text: string, from: number, base: number): void {
    this.#wholeCells.reset();
    let at = from;
    while (at < text.length && this.problem === undefined) at = this.#step(text, at, base);
    this.#cell.keepTail(text);
  }

  #step(text: string, from: number, base: number): number {
    switch (this.#place) {
      case CELL_START:
        return this.#beginCell(text, this.#wholeCells.pass(text, from, this.shape, this.facts), base);
      case UNQUOTED:
        return this.#passUnquoted(text, from, base);
      case QUOTED:
        return this.#passQuoted(text, from, base);
      case AFTER_QUOTE:
        return this.#afterQuote(text, from, base);
      case ESCAPED:
      case ESCAPED_UNQUOTED:
        return this.#escaped(text, from, base);
      case AFTER_NULL:
        return this.#afterNull(text, from);
      default:
        return this.#afterCr(text, from, base);
    }
  }

  /** An unusual CSV cell must be read character by character. */
  #beginCell(text: string, at: number, base: number): number {
    if (at === text.length) return at;
    const code = text.charCodeAt(at);
    const meaning = this.#unquoted[code];
    this.#cell.begin(base + at, meaning === QUOTE);
    if (meaning === QUOTE) {
      this.facts.hasQuotes = true;
      this.#quotedIn = this.shape.record;
      this.#place = QUOTED;
      return at + 1;
    }
    if (meaning === MAYBE_QUOTE) {
      this.#forget(code);
      this.#watcher.mayQuote(this, String.fromCharCode(code), text, at, base);
    }
    this.#place = UNQUOTED;
    return at;
  }

  #passUnquoted(text: string, from: number, base: number): number {
    const unquoted = this.#unquoted;
    let at = from;
    while (at < text.length && unquoted[text.charCodeAt(at)] === 0) at++;
    if (at === text.length) return at;
    const code = text.charCodeAt(at);
    switch (unquoted[code]) {
      case DELIMITER:
        this.#endCell(text, at, base);
        this.#place = CELL_START;
        break;
      case LINE_FEED:
      case CARRIAGE_RETURN:
        this.#meetLineEnd(code, text, at, base);
        break;
      case QUOTE:
        this.#fail('has a quote within a cell that is not in quotes');
        break;
      case ESCAPE:
        this.#place = ESCAPED_UNQUOTED;
        break;
      case MAYBE_ESCAPE:
        this.#forget(code);
        this.#watcher.mayEscape(this, text, at, base);
        this.facts.hasUnquotedBackslashes = true;
        break;
      default:
        // A writer with this quote would have put the CSV cell in quotes, so the character is no quote.
        this.#forget(code);
        this.facts.bareIn.set(String.fromCharCode(code), this.shape.record);
    }
    return at + 1;
  }

  #meetLineEnd(code: number, text: string, at: number, base: number): void {
    const { newline } = this.rules;
    if (newline.length === 1 && code === newline.charCodeAt(0)) {
      this.#endRow(text, at, base);
    } else if (code === CR && (newline === '\r\n' || !this.#cell.isQuoted)) this.#place = AFTER_CR;
    else this.#mixedLineEnds();
  }

  #passQuoted(text: string, from: number, base: number): number {
    const quoted = this.#quoted;
    let at = from;
    while (at < text.length && quoted[text.charCodeAt(at)] === 0) at++;
    if (at === text.length) return at;
    const code = text.charCodeAt(at);
    switch (quoted[code]) {
      case DELIMITER:
        this.facts.hasDelimiters = true;
        quoted[code] = 0;
        break;
      case LINE_FEED:
      case CARRIAGE_RETURN:
        this.facts.hasLineBreaks = true;
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
        this.#watcher.mayEscape(this, text, at, base);
    }
    return at + 1;
  }

  #afterQuote(text: string, at: number, base: number): number {
    const code = text.charCodeAt(at);
    switch (this.#unquoted[code]) {
      case QUOTE:
        this.facts.hasDoubled = true;
        this.#place = QUOTED;
        break;
      case DELIMITER:
        this.#endCell(text, at, base);
        this.#place = CELL_START;
        break;
      case LINE_FEED:
      case CARRIAGE_RETURN:
        this.#meetLineEnd(code, text, at, base);
        break;
      default:
        this.#fail('has a quoted cell with text after its closing quote');
    }
    return at + 1;
  }

  #escaped(text: string, at: number, base: number): number {
    const char = text.charAt(at);
    const isQuoted = this.#place === ESCAPED;
    this.#place = isQuoted ? QUOTED : UNQUOTED;
    if (this.rules.escaping === 'php') {
      // PHP keeps the backslash of a CSV cell. It only prevents the next quote from ending the cell.
      if (char === this.rules.quote) this.facts.hasEscapes = true;
      if (char === '\\') this.#place = ESCAPED;
      return at + 1;
    }
    this.facts.hasEscapes = true;
    if (!isQuoted && char === 'N' && base + at === this.#cell.from + 1) {
      this.#place = AFTER_NULL;
      return at + 1;
    }
    if (!isQuoted) this.facts.hasUnquotedEscapes = true;
    if (!isQuoted && char === '"') this.facts.hasEscapedQuotes = true;
    if (!isEscaped(char, this.rules, isQuoted)) this.#fail(NEEDLESS_BACKSLASH);
    return at + 1;
  }

  /** `\N` means null only if it is the whole CSV cell. */
  #afterNull(text: string, at: number): number {
    const meaning = this.#unquoted[text.charCodeAt(at)];
    if (meaning === DELIMITER || meaning === LINE_FEED || meaning === CARRIAGE_RETURN) this.#place = UNQUOTED;
    else this.#fail(NEEDLESS_BACKSLASH);
    return at;
  }

  /** Not called if CR is the line end of the CSV file. */
  #afterCr(text: string, at: number, base: number): number {
    const code = text.charCodeAt(at);
    if (this.rules.newline === '\r\n' && code === LF) {
      this.#endRow(text, at - 1, base);
      return at + 1;
    }
    if (this.rules.newline === '\r\n' || code === LF) this.#mixedLineEnds();
    // A carriage return that does not end the CSV row is part of the cell's text.
    this.#place = UNQUOTED;
    return at;
  }

  #endCell(text: string, at: number, base: number): void {
    this.#cell.end(text, at, base, this.shape, this.facts, this.rules.escapesUnquoted);
  }

  #endRow(text: string, at: number, base: number): void {
    this.#endCell(text, at, base);
    this.#place = CELL_START;
    this.shape.endRecord();
  }

  #mixedLineEnds(): void {
    const names = { '\n': 'LF', '\r\n': 'CRLF', '\r': 'CR' };
    this.#fail(`has a line end other than the ${names[this.rules.newline]} of the first line`);
  }

  #fail(what: string, record = this.shape.record): void {
    this.problem ??= { record, what };
  }

  /** @param size size of the CSV file in bytes */
  finish(size: number): void {
    if (this.problem !== undefined) return;
    const place = this.#place;
    if (place === CELL_START && this.shape.isEmpty) return;
    if (place === CELL_START) this.#cell.begin(size, false);
    if (place === QUOTED || place === ESCAPED) this.#fail('has a quote that is never closed', this.#quotedIn);
    else if (place === ESCAPED_UNQUOTED) this.#fail('ends with a backslash');
    else if (place === AFTER_CR && this.rules.newline === '\n') this.#mixedLineEnds();
    else this.#endRow('', place === AFTER_CR ? -1 : 0, size);
  }
}
