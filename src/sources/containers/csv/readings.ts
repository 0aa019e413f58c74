import type { ReadOptions } from '../table.ts';
import { Reading, type ReadingWatcher } from './csv-reading.ts';
import type { ReadingRules } from './meanings.ts';

/** All readings of a file with one delimiter. */
export class Readings implements ReadingWatcher {
  /** Without quotes and escapes. The others are forked from it where they begin to differ. */
  readonly plain: Reading;
  readonly #all = new Map<string, Reading>();
  readonly #toldQuote: string | undefined;
  /** Whether cells are in the quotes that are told or usual, and in no others. */
  readonly isQuoteKnown: boolean;
  #active: Reading[] = [];

  constructor(
    rules: Pick<ReadingRules, 'delimiter' | 'newline'>,
    { csvQuote }: ReadOptions,
    showsQuotes: boolean,
  ) {
    this.#toldQuote = csvQuote;
    this.isQuoteKnown = showsQuotes || csvQuote !== undefined;
    const noQuotes = { ...rules, quote: undefined, escaping: 'doubled', escapesUnquoted: false } as const;
    this.plain = new Reading(noQuotes, this);
    this.#add(this.plain);
  }

  /** The reading with the quote that is told or usual, doubled within cells. The plain one if no cell begins with that quote. */
  get main(): Reading {
    return this.find({ quote: this.quote, escaping: 'doubled' }) ?? this.plain;
  }

  get quote(): string | undefined {
    return this.#toldQuote === 'none' ? undefined : (this.#toldQuote ?? '"');
  }

  get all(): readonly Reading[] {
    return [...this.#all.values()];
  }

  find({ quote, escaping, escapesUnquoted = false }: Partial<ReadingRules>): Reading | undefined {
    return this.#all.get(`${quote}${escaping}${escapesUnquoted}`);
  }

  push(text: string, base: number): void {
    // Readings that are forked meanwhile have read the rest of the chunk.
    for (const one of [...this.#active]) one.push(text, 0, base);
    const isPlainNeeded = !this.isQuoteKnown || this.main === this.plain;
    this.#active = this.all.filter(
      (one) => one.problem === undefined && (one !== this.plain || isPlainNeeded),
    );
  }

  finish(size: number): void {
    for (const one of this.#all.values()) one.finish(size);
  }

  mayQuote(reading: Reading, quote: string, text: string, at: number, base: number): void {
    if ((this.#toldQuote ?? (this.isQuoteKnown ? '"' : quote)) !== quote) return;
    // Only the usual quote may stand in a file with rows of other lengths.
    if (reading.shape.ragged !== undefined && quote !== this.quote) return;
    const escaping = reading.rules.escapesUnquoted ? 'backslash' : 'doubled';
    this.#fork(reading, { quote, escaping }, text, at, base);
  }

  mayEscape(reading: Reading, text: string, at: number, base: number): void {
    const { quote, escaping } = reading.rules;
    if (escaping !== 'doubled') return;
    const fork = (rules: Partial<ReadingRules>) => this.#fork(reading, rules, text, at, base);
    // A reading that has taken backslashes outside quotes for text cannot take them for escapes from here on.
    if (!reading.facts.hasUnquotedBackslashes) fork({ escaping: 'backslash', escapesUnquoted: true });
    if (quote === undefined || !reading.isQuoted) return;
    fork({ escaping: 'php' });
    fork({ escaping: 'backslash' });
  }

  #fork(reading: Reading, changes: Partial<ReadingRules>, text: string, at: number, base: number): void {
    const rules = { ...reading.rules, ...changes };
    if (this.find(rules) !== undefined) return;
    const fork = reading.fork(changes);
    this.#add(fork);
    fork.push(text, at, base);
  }

  #add(reading: Reading): void {
    const { quote, escaping, escapesUnquoted } = reading.rules;
    this.#all.set(`${quote}${escaping}${escapesUnquoted}`, reading);
    this.#active.push(reading);
  }
}
