import type { ReadOptions } from '../table.ts';
import { Reading, type ReadingWatcher } from './csv-reading.ts';
import type { ReadingRules } from './meanings.ts';

/** Reads a CSV file under several dialects with the same delimiter at once, to find the right dialect. */
export class Readings implements ReadingWatcher {
  /** Trial without quotes and escapes. Other CSV dialects are forked at the first difference. */
  readonly plain: Reading;
  readonly #all = new Map<string, Reading>();
  readonly #toldQuote: string | undefined;
  /** Whether the quote is known, by `--csv-quote` or because the first line of the CSV file proves the usual one. */
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

  /** Trial with the known or usual quote, doubled inside CSV cells; `plain` if no cell begins with it. */
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
    // Trials of CSV dialects that are forked in this loop have already read the rest of the chunk.
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
    // If the rows of the CSV file differ in length, only the usual quote character is tried.
    if (reading.shape.ragged !== undefined && quote !== this.quote) return;
    const escaping = reading.rules.escapesUnquoted ? 'backslash' : 'doubled';
    this.#fork(reading, { quote, escaping }, text, at, base);
  }

  mayEscape(reading: Reading, text: string, at: number, base: number): void {
    const { quote, escaping } = reading.rules;
    if (escaping !== 'doubled') return;
    const fork = (rules: Partial<ReadingRules>) => this.#fork(reading, rules, text, at, base);
    // A trial of a CSV dialect that has read an unquoted backslash as text must read later ones as text, too.
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
