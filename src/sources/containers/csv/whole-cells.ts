import { BACKSLASH } from './characters.ts';
import {
  CARRIAGE_RETURN,
  DELIMITER,
  LINE_FEED,
  MAYBE_QUOTE,
  QUOTE,
  type ReadingRules,
  specialChars,
} from './meanings.ts';
import { NextChar, NOWHERE } from './next-char.ts';
import type { ReadingFacts } from './reading-facts.ts';
import type { RowShape } from './row-shape.ts';

/** Fast native searches serve for nearly all CSV cells: those within one block, with nothing unusual. */
export class WholeCells {
  readonly #rules: ReadingRules;
  readonly #unquoted: Uint8Array;
  readonly #quoted: Uint8Array;
  readonly #nextDelimiter: NextChar;
  readonly #nextQuote: NextChar;
  readonly #nextBackslash = new NextChar(['\\']);
  readonly #nextLineBreak = new NextChar(['\n', '\r']);
  #nextSpecial: NextChar;

  /** Both tables map a character of CSV to its meaning: `unquoted` outside quotes, `quoted` inside. */
  constructor(rules: ReadingRules, unquoted: Uint8Array, quoted: Uint8Array) {
    this.#rules = rules;
    this.#unquoted = unquoted;
    this.#quoted = quoted;
    this.#nextDelimiter = new NextChar([rules.delimiter]);
    this.#nextQuote = new NextChar(rules.quote === undefined ? [] : [rules.quote]);
    this.#nextSpecial = new NextChar(specialChars(unquoted, rules));
  }

  changeMeanings(): void {
    this.#nextSpecial = new NextChar(specialChars(this.#unquoted, this.#rules));
  }

  reset(): void {
    this.#nextDelimiter.reset();
    this.#nextQuote.reset();
    this.#nextBackslash.reset();
    this.#nextLineBreak.reset();
    this.#nextSpecial.reset();
  }

  /** Counts CSV cells in `shape`. Returns the index of the next cell that must be read step by step. */
  pass(text: string, from: number, shape: RowShape, facts: ReadingFacts): number {
    const unquoted = this.#unquoted;
    const { delimiter, newline } = this.#rules;
    const lineEnd = newline === '\r' ? '\r' : '\n';
    let delimiterAt = -1;
    let lineEndAt = -1;
    let at = from;
    while (at < text.length) {
      const meaning = unquoted[text.charCodeAt(at)];
      let end: number;
      if (meaning === QUOTE) {
        end = this.#findQuotedEnd(text, at, facts);
        if (end === NOWHERE || unquoted[text.charCodeAt(end)] === CARRIAGE_RETURN) break;
        facts.hasQuotes = true;
      } else {
        if (meaning === MAYBE_QUOTE) break;
        if (delimiterAt < at) delimiterAt = indexOrNowhere(text.indexOf(delimiter, at));
        if (lineEndAt < at) lineEndAt = indexOrNowhere(text.indexOf(lineEnd, at));
        end = delimiterAt < lineEndAt ? delimiterAt : lineEndAt;
        if (end === NOWHERE || this.#nextSpecial.find(text, at) < end) break;
        const length = end - at;
        if ((length === 4 && text.startsWith('NULL', at)) || (length === 2 && text.startsWith('\\N', at)))
          facts.nullWords++;
      }
      const isRecordEnd = unquoted[text.charCodeAt(end)] !== DELIMITER;
      // A line break of two characters may be cut by the end of the CSV text.
      if (isRecordEnd && newline === '\r\n') break;
      shape.addCell(end > at);
      if (isRecordEnd) shape.endRecord();
      at = end + 1;
    }
    // The fast search skips quotes of CSV cells that it takes for doubled ones. The slower reader may
    // interpret them differently, so it must search for their positions again.
    this.#nextQuote.reset();
    return at;
  }

  /** Returns the index after the closing quote, or NOWHERE if the CSV cell must be read step by step. */
  #findQuotedEnd(text: string, from: number, facts: ReadingFacts): number {
    const quote = text.charCodeAt(from);
    const hasMeaning = this.#quoted[BACKSLASH] !== 0;
    const backslash = hasMeaning ? this.#nextBackslash.find(text, from) : NOWHERE;
    let isDoubled = false;
    let at = this.#nextQuote.find(text, from + 1);
    for (;;) {
      if (at === NOWHERE || backslash < at || at + 1 >= text.length) return NOWHERE;
      const after = text.charCodeAt(at + 1);
      if (after !== quote) {
        const meaning = this.#unquoted[after];
        if (meaning !== DELIMITER && meaning !== LINE_FEED && meaning !== CARRIAGE_RETURN) return NOWHERE;
        break;
      }
      isDoubled = true;
      at = this.#nextQuote.find(text, at + 2);
    }
    if (isDoubled) facts.hasDoubled = true;
    if (!facts.hasDelimiters) facts.hasDelimiters = this.#nextDelimiter.find(text, from) < at;
    if (!facts.hasLineBreaks) facts.hasLineBreaks = this.#nextLineBreak.find(text, from) < at;
    return at + 1;
  }
}

const indexOrNowhere = (index: number) => (index < 0 ? NOWHERE : index);
