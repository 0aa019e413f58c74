import { FileProblem, type ReadOptions } from '../table.ts';
import type { CsvDialect, SniffedCsv } from './csv-dialect.ts';
import { Reading, type ReadingProblem, type ReadingRules, type ReadingWatcher } from './csv-reading.ts';

/** Unquoted cells that are null where the operator has not said it. */
export const NULL_WORDS: readonly string[] = ['NULL', '\\N'];

/** Decides the dialect of a file from all of its bytes. */
export interface DialectChooser {
  push(bytes: Buffer): void;
  /**
   * @param headerRows 1 if the first record is a header, else 0
   * @throws {FileProblem} if the file fits no dialect, or several under which it says different things
   */
  choose(headerRows: number): CsvDialect;
}

/**
 * Reads the file under each dialect that it may have, in one pass. No cell can change how the rest of the file is read: if two
 * readings of the whole file are consistent and differ, the operator is asked (docs/adr/0026-csv-dialects.md).
 */
export function createDialectChooser(sniffed: SniffedCsv, options: ReadOptions): DialectChooser {
  const { delimiter, newline, others } = sniffed;
  const readings = new Readings({ delimiter, newline }, options);
  const otherReadings = others.map((other) => new Readings({ delimiter: other, newline }, options));
  let size = 0;
  return {
    push(bytes) {
      for (const one of [readings, ...otherReadings]) one.push(bytes, size);
      size += bytes.length;
    },
    choose(headerRows) {
      for (const one of [readings, ...otherReadings]) one.finish(size);
      const problems = new Problems(delimiter, headerRows);
      if (!isWriterKnown(sniffed, options)) throw problems.unknownWriter();
      const chosen = chooseReading(readings, options, sniffed.showsQuotes, problems);
      checkRows(chosen, options, problems);
      const rival = otherReadings.find((one) => isTable(one.plain) || isTable(one.main));
      if (rival !== undefined) throw problems.severalDelimiters(rival.plain.rules.delimiter);
      return { ...chosen.rules, nulls: nullsOf(chosen, sniffed, options, problems) };
    },
  };
}

/** All readings of a file with one delimiter. */
class Readings implements ReadingWatcher {
  /** Without quotes and escapes. The others are forked from it where they begin to differ. */
  readonly plain: Reading;
  readonly #all = new Map<string, Reading>();
  readonly #toldQuote: string | undefined;
  #active: Reading[] = [];

  constructor(rules: Pick<ReadingRules, 'delimiter' | 'newline'>, { csvQuote }: ReadOptions) {
    this.#toldQuote = csvQuote;
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

  push(bytes: Buffer, base: number): void {
    // Readings that are forked meanwhile have read the rest of the chunk.
    for (const one of [...this.#active]) one.push(bytes, 0, base);
    this.#active = this.all.filter(({ problem }) => problem === undefined);
  }

  finish(size: number): void {
    for (const one of this.#all.values()) one.finish(size);
  }

  mayQuote(reading: Reading, quote: string, bytes: Buffer, at: number, base: number): void {
    if ((this.#toldQuote ?? quote) !== quote) return;
    // Only the usual quote may stand in a file with rows of other lengths.
    if (reading.ragged !== undefined && quote !== this.quote) return;
    const escaping = reading.rules.escapesUnquoted ? 'backslash' : 'doubled';
    this.#fork(reading, { quote, escaping }, bytes, at, base);
  }

  mayEscape(reading: Reading, bytes: Buffer, at: number, base: number): void {
    const { quote, escaping } = reading.rules;
    if (escaping !== 'doubled') return;
    const fork = (rules: Partial<ReadingRules>) => this.#fork(reading, rules, bytes, at, base);
    fork({ escaping: 'backslash', escapesUnquoted: true });
    if (quote === undefined || !reading.isQuoted) return;
    fork({ escaping: 'php' });
    fork({ escaping: 'backslash' });
  }

  #fork(reading: Reading, changes: Partial<ReadingRules>, bytes: Buffer, at: number, base: number): void {
    const rules = { ...reading.rules, ...changes };
    if (this.find(rules) !== undefined) return;
    const fork = reading.fork(changes);
    this.#add(fork);
    fork.push(bytes, at, base);
  }

  #add(reading: Reading): void {
    const { quote, escaping, escapesUnquoted } = reading.rules;
    this.#all.set(`${quote}${escaping}${escapesUnquoted}`, reading);
    this.#active.push(reading);
  }
}

/** Whether all rows are as a writer of this dialect leaves them. */
const isConsistent = ({ problem, ragged }: Reading): boolean => problem === undefined && ragged === undefined;

/** The same, of a reading for which few columns are no sign of anything: without quotes, or with another delimiter. */
const isTable = (reading: Reading): boolean =>
  isConsistent(reading) && reading.columns > 1 && !reading.isUneven;

/**
 * Commas and semicolons mean CSV, in which cells with line breaks are in quotes. With tabs and bars many programs write neither
 * quotes nor escapes, and no content can show that they did not.
 */
const isWriterKnown = (
  { delimiter, showsQuotes }: SniffedCsv,
  { csvEscape, csvQuote, csvDelimiter }: ReadOptions,
): boolean =>
  delimiter === ',' ||
  delimiter === ';' ||
  showsQuotes ||
  csvEscape !== undefined ||
  csvQuote !== undefined ||
  (csvDelimiter !== undefined && delimiter !== '\t' && delimiter !== '|');

function chooseReading(
  readings: Readings,
  options: ReadOptions,
  showsQuotes: boolean,
  problems: Problems,
): Reading {
  const { csvEscape, csvQuote } = options;
  if (csvEscape === 'doubled') return onlyReading(readings, readings.main, problems);
  if (csvEscape === 'php') {
    return onlyReading(
      readings,
      readings.find({ quote: readings.quote, escaping: 'php' }) ?? readings.main,
      problems,
    );
  }
  if (csvEscape === 'backslash' || csvQuote === 'none')
    return readingWithBackslashes(readings, options, problems);
  return readingByConsistency(readings, showsQuotes || options.csvQuote !== undefined, problems);
}

function onlyReading(readings: Readings, reading: Reading, problems: Problems): Reading {
  const problem = reading.problem ?? bareQuote(readings, reading);
  if (problem !== undefined) throw problems.inconsistent(problem);
  return reading;
}

/** A quote within a cell that is not in quotes: no writer that knows quotes leaves it so. */
function bareQuote({ quote = '' }: Readings, { rules, bareIn }: Reading): ReadingProblem | undefined {
  const record = rules.quote === undefined ? bareIn.get(quote) : undefined;
  return record === undefined
    ? undefined
    : { record, what: 'has a quote within a cell that is not in quotes' };
}

/**
 * Nobody has said how quotes are escaped.
 * @param isQuoteKnown cells are in the usual quotes, or those that are told
 */
function readingByConsistency(readings: Readings, isQuoteKnown: boolean, problems: Problems): Reading {
  const { main, plain, quote } = readings;
  const escaping = 'backslash';
  const php = readings.find({ quote, escaping: 'php' });
  const quoted = [
    readings.find({ quote, escaping }),
    readings.find({ quote, escaping, escapesUnquoted: true }),
  ];
  const withBackslashes = quoted.filter((one) => one !== undefined && isConsistent(one));
  const unquoted = readings.find({ quote: undefined, escaping, escapesUnquoted: true });
  const withOtherQuotes = readings.all.find(
    (one) => !isQuoteKnown && one.rules.quote !== undefined && one.rules.quote !== quote && isConsistent(one),
  );
  const isPhp = php !== undefined && isConsistent(php) && php.hasEscapes;
  const mainProblem = main.problem ?? bareQuote(readings, main);
  const isUnquoted =
    !isQuoteKnown && unquoted !== undefined && isTable(unquoted) && !isHalfEscaped(unquoted, readings);
  const hasPlainRival = ({ hasLineBreaks, hasDelimiters }: Reading) =>
    !isQuoteKnown && (hasLineBreaks || hasDelimiters) && isTable(plain);
  if (mainProblem === undefined) {
    if (withOtherQuotes !== undefined) throw problems.severalQuotes(withOtherQuotes.rules.quote);
    if (isPhp || withBackslashes.length > 0 || isUnquoted) throw problems.severalEscapes();
    if (hasPlainRival(main)) throw problems.severalQuotes('none');
    return main;
  }
  // Backslashes that escape and doubled quotes in one file are PHP's.
  const survivors = [...(isPhp ? [php] : []), ...withBackslashes.filter((one) => !one?.hasDoubled)];
  const [survivor] = survivors;
  if (withOtherQuotes !== undefined) throw problems.otherQuotes(mainProblem, withOtherQuotes.rules.quote);
  if (survivor === undefined) throw problems.inconsistent(mainProblem);
  const isOne =
    survivors.length === 1 || (!isPhp && !survivor.hasUnquotedEscapes && !survivor.hasUnquotedBackslashes);
  if (!isOne || (isUnquoted && !survivor.hasDoubled)) throw problems.severalEscapes();
  if (hasPlainRival(survivor)) throw problems.severalQuotes('none');
  return survivor;
}

/** A writer that knows no quotes escapes all of them or none. */
const isHalfEscaped = (unquoted: Reading, { main, plain }: Readings): boolean =>
  unquoted.hasEscapedQuotes && (main !== plain || plain.bareIn.has('"'));

/** The operator has said that backslashes escape; not always, whether cells are in quotes. */
function readingWithBackslashes(readings: Readings, { csvQuote }: ReadOptions, problems: Problems): Reading {
  const { plain, quote } = readings;
  const escaping = 'backslash';
  const withoutQuotes = readings.find({ quote: undefined, escaping, escapesUnquoted: true }) ?? plain;
  if (quote === undefined) return onlyReading(readings, withoutQuotes, problems);
  // A reading with quotes is missing if no cell begins with one, and one with backslashes if there are none.
  const all =
    readings.find({ quote, escaping, escapesUnquoted: true }) ??
    readings.find({ quote, escaping: 'doubled' }) ??
    withoutQuotes;
  const quotedOnly = readings.find({ quote, escaping });
  const fits = (one: Reading) => one.problem === undefined && bareQuote(readings, one) === undefined;
  const candidates = [all, ...(quotedOnly === undefined ? [] : [quotedOnly])].filter(fits);
  const [first] = candidates;
  const isUnquoted =
    csvQuote === undefined && isTable(withoutQuotes) && !isHalfEscaped(withoutQuotes, readings);
  if (first === undefined) {
    if (isUnquoted) return withoutQuotes;
    throw problems.inconsistent(all.problem ?? bareQuote(readings, all) ?? { record: 1, what: 'is odd' });
  }
  if (candidates.length > 1 && (all.hasUnquotedEscapes || quotedOnly?.hasUnquotedBackslashes)) {
    throw problems.unquotedBackslashes();
  }
  if (isUnquoted && first.hasQuotes) throw problems.severalQuotes('none');
  return first;
}

/**
 * Rows of another length are refused one by one only if it is certain where rows end: if a line break in a cell is known to be in
 * quotes. Else such a row may be the rest of a cell.
 */
function checkRows(chosen: Reading, { csvEscape }: ReadOptions, problems: Problems): void {
  const isCertain = chosen.hasLineBreaks || csvEscape === 'doubled' || csvEscape === 'php';
  if (chosen.ragged !== undefined && !isCertain) throw problems.ragged(chosen.ragged);
}

/** A single `NULL` in a file may be somebody's name. */
function nullsOf(
  { nullWords }: Reading,
  { showsQuotes }: SniffedCsv,
  { csvNull }: ReadOptions,
  problems: Problems,
): readonly string[] {
  if (csvNull !== undefined) return [csvNull];
  if (nullWords === 1 && !showsQuotes) throw problems.oneNull();
  return NULL_WORDS;
}

/** What the operator is told and asked. */
class Problems {
  readonly #delimiter: string;
  readonly #headerRows: number;

  constructor(delimiter: string, headerRows: number) {
    this.#delimiter = delimiter;
    this.#headerRows = headerRows;
  }

  #invalid(message: string): FileProblem {
    return new FileProblem('FILE_INVALID', message);
  }

  #row({ record, what }: ReadingProblem): string {
    const row = record - this.#headerRows;
    return `${row < 1 ? 'The header' : `Row ${row}`} ${what}`;
  }

  inconsistent(problem: ReadingProblem): FileProblem {
    return this.#invalid(
      `${this.#row(problem)}, so where its rows end is not certain. Nothing of the file is imported. Export it again as CSV ` +
        'with quotes doubled, or say how it was written: --csv-quote, --csv-escape, --csv-delimiter.',
    );
  }

  otherQuotes(problem: ReadingProblem, quote: string | undefined): FileProblem {
    return this.#invalid(
      `${this.#row(problem)}. The file may have another quote: if so, say --csv-quote ${shown(quote)}.`,
    );
  }

  severalQuotes(quote: string | undefined): FileProblem {
    return this.#invalid(
      `The file can be read with quotes ${shown('"')}, and ${quote === 'none' ? 'without any' : `with ${shown(quote)}`}, ` +
        `and says different things. Say how it was written: --csv-quote ${shown('"')} or --csv-quote ${shown(quote)}.`,
    );
  }

  severalEscapes(): FileProblem {
    return this.#invalid(
      'Backslashes in the file may be text, or escapes, and it says different things. Say how it was written: --csv-escape ' +
        'doubled (CSV of most programs), backslash (MySQL, COPY in text format, Python with an escapechar) or php (fputcsv, Firebase).',
    );
  }

  severalDelimiters(other: string): FileProblem {
    return this.#invalid(
      `The file has as many cells in each row with ${shown(this.#delimiter)} between them as with ${shown(other)}. ` +
        `Say which it is: --csv-delimiter ${shown(this.#delimiter)}.`,
    );
  }

  unquotedBackslashes(): FileProblem {
    return this.#invalid(
      'Backslashes outside quotes may be escapes (Python, MySQL) or text (psql), which is not certain here. Export it again with all cells ' +
        'in quotes: force_quote * (psql), QUOTE_ALL (Python).',
    );
  }

  unknownWriter(): FileProblem {
    const name = this.#delimiter === '\t' ? 'tabs' : `${shown(this.#delimiter)}`;
    return this.#invalid(
      `Files with ${name} between cells are written in ways that only their writer knows. Say which: --csv-escape backslash (mysql ` +
        '--batch, COPY, INTO OUTFILE) or --csv-escape doubled (quotes as in CSV: Excel, Python, psql). Files of mysql --raw and of .mode ' +
        'tabs or list of sqlite3 escape nothing: a cell may hold a line that looks like a row. Export them again: without --raw, with .mode csv.',
    );
  }

  ragged(problem: ReadingProblem): FileProblem {
    return this.#invalid(
      `${this.#row(problem)}. A line break in a cell without quotes looks like that, and the rows around it may be forged. Export the ` +
        'file again with quotes, or remove the row. If the writer does put cells with line breaks in quotes: --csv-escape doubled.',
    );
  }

  oneNull(): FileProblem {
    return this.#invalid(
      'The file has one unquoted NULL, which may be an empty cell or a text. Say which: --csv-null NULL, or --csv-null with a text that ' +
        'stands for empty cells here.',
    );
  }
}

/** For a shell. */
function shown(char: string | undefined): string {
  if (char === '\t') return 'tab';
  if (char === undefined || char === 'none') return 'none';
  return char === "'" ? `"'"` : `'${char}'`;
}
