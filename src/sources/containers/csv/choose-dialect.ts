import type { ReadOptions } from '../table.ts';
import type { CsvDialect, SniffedCsv } from './csv-dialect.ts';
import type { Reading } from './csv-reading.ts';
import { DialectProblems } from './dialect-problems.ts';
import { Readings } from './readings.ts';
import type { ReadingProblem } from './row-shape.ts';

/** Texts of unquoted CSV cells that mean null, unless the operator names another text. */
export const NULL_WORDS: readonly string[] = ['NULL', '\\N'];

/** Chooses the dialect of a CSV file (delimiter, quotes, escapes) after reading all of its bytes. */
export interface DialectChooser {
  push(bytes: Buffer): void;
  /**
   * Chooses the dialect of the CSV file, all of whose bytes were pushed.
   * @param headerRows 1 if the first record is a header, else 0
   * @throws {FileProblem} if the file fits no dialect, or fits several under which its cells differ
   */
  choose(headerRows: number): CsvDialect;
}

/**
 * Creates a chooser that tries each possible dialect on a whole CSV file, all at once and in one pass. Each
 * trial is a "reading". The content of a cell must not decide how the rest of the file is read. If two
 * readings of the whole file fit but differ, the operator must choose (docs/adr/0026-csv-dialects.md).
 */
export function createDialectChooser(sniffed: SniffedCsv, options: ReadOptions): DialectChooser {
  const { delimiter, newline, others, moreFrequent, showsQuotes } = sniffed;
  const readings = new Readings({ delimiter, newline }, options, showsQuotes);
  const otherReadings = others.map((other) => new Readings({ delimiter: other, newline }, options, false));
  let size = 0;
  return {
    push(bytes) {
      // One character per byte is sufficient, because delimiters, quotes, escapes and line ends of CSV are
      // ASCII.
      const text = bytes.toString('latin1');
      for (const one of [readings, ...otherReadings]) one.push(text, size);
      size += text.length;
    },
    choose(headerRows) {
      for (const one of [readings, ...otherReadings]) one.finish(size);
      const problems = new DialectProblems(delimiter, headerRows);
      if (!isWriterKnown(sniffed, options)) throw problems.unknownWriter();
      if (moreFrequent !== undefined) throw problems.severalDelimiters(moreFrequent);
      const chosen = chooseReading(readings, options, problems);
      checkRows(chosen, headerRows, options, problems);
      // If another delimiter also fits the whole CSV file, the operator must choose. The first row proves
      // nothing, because the delimiter that was found in it may belong to its cells.
      const rival = otherReadings.find((one) => one.all.some(isTable));
      if (rival !== undefined) throw problems.severalDelimiters(rival.plain.rules.delimiter);
      return { ...chosen.rules, nulls: nullsOf(chosen, sniffed, options, problems) };
    },
  };
}

/** Returns whether all rows of a CSV file look as if a writer of this dialect had written them. */
const isConsistent = ({ problem, shape }: Reading): boolean =>
  problem === undefined && shape.ragged === undefined;

/**
 * Returns whether a dialect fits the CSV file and gives more than one column and rows of equal length. Used
 * for dialects without quotes or with another delimiter, where a single column proves nothing.
 */
const isTable = (reading: Reading): boolean =>
  isConsistent(reading) && reading.shape.columns > 1 && reading.shape.uneven === undefined;

/**
 * Returns whether the form of the file identifies a writer that puts cells with line breaks in quotes. Commas
 * and semicolons mean CSV, whose writers use quotes. With tabs and bars many programs write neither quotes
 * nor escapes, and no content of the file can prove otherwise.
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
  { csvEscape, csvQuote, csvNull }: ReadOptions,
  problems: DialectProblems,
): Reading {
  if (csvEscape === 'backslash' || csvQuote === 'none')
    return readingWithBackslashes(readings, csvNull, problems);
  if (csvEscape === undefined) return readingByConsistency(readings, problems);
  const php = csvEscape === 'php' ? readings.find({ quote: readings.quote, escaping: 'php' }) : undefined;
  const reading = onlyReading(readings, php ?? readings.main, problems);
  const withOtherQuotes = readingWithOtherQuotes(readings);
  if (withOtherQuotes !== undefined) throw problems.severalQuotes(withOtherQuotes.rules.quote);
  return reading;
}

/**
 * Returns the trial of a dialect with an unusual quote character, if it fits the CSV file. There is none if
 * the quote is known.
 */
const readingWithOtherQuotes = ({ all, quote }: Readings): Reading | undefined =>
  all.find((one) => one.rules.quote !== undefined && one.rules.quote !== quote && isConsistent(one));

function onlyReading(readings: Readings, reading: Reading, problems: DialectProblems): Reading {
  const problem = reading.problem ?? bareQuote(readings, reading);
  if (problem !== undefined) throw problems.inconsistent(problem);
  return reading;
}

/** Finds a quote inside an unquoted cell of a CSV file. Writers that use quotes never produce one. */
function bareQuote({ quote = '' }: Readings, { rules, facts }: Reading): ReadingProblem | undefined {
  const record = rules.quote === undefined ? facts.bareIn.get(quote) : undefined;
  return record === undefined
    ? undefined
    : { record, what: 'has a quote within a cell that is not in quotes' };
}

/** Chooses among the dialects that fit a CSV file if the operator has not said how quotes are escaped. */
function readingByConsistency(readings: Readings, problems: DialectProblems): Reading {
  const { main, plain, quote, isQuoteKnown } = readings;
  const escaping = 'backslash';
  const php = readings.find({ quote, escaping: 'php' });
  const quoted = [
    readings.find({ quote, escaping }),
    readings.find({ quote, escaping, escapesUnquoted: true }),
  ];
  const withBackslashes = quoted.filter((one) => one !== undefined && isConsistent(one));
  const unquoted = readings.find({ quote: undefined, escaping, escapesUnquoted: true });
  const withOtherQuotes = readingWithOtherQuotes(readings);
  const isPhp = php !== undefined && isConsistent(php) && php.facts.hasEscapes;
  const mainProblem = main.problem ?? bareQuote(readings, main);
  const isUnquoted =
    !isQuoteKnown && unquoted !== undefined && isTable(unquoted) && !isHalfEscaped(unquoted, readings);
  const hasPlainRival = ({ facts }: Reading) =>
    !isQuoteKnown && (facts.hasLineBreaks || facts.hasDelimiters) && isTable(plain);
  if (mainProblem === undefined) {
    if (withOtherQuotes !== undefined) throw problems.severalQuotes(withOtherQuotes.rules.quote);
    if (isPhp || withBackslashes.length > 0 || isUnquoted) throw problems.severalEscapes();
    if (hasPlainRival(main)) throw problems.severalQuotes('none');
    return main;
  }
  // A CSV file with both escaping backslashes and doubled quotes was written by PHP.
  const survivors = [...(isPhp ? [php] : []), ...withBackslashes.filter((one) => !one?.facts.hasDoubled)];
  const [survivor] = survivors;
  if (withOtherQuotes !== undefined) throw problems.otherQuotes(mainProblem, withOtherQuotes.rules.quote);
  if (survivor === undefined) throw problems.inconsistent(mainProblem);
  const { hasDoubled, hasLineBreaks, hasDelimiters } = survivor.facts;
  // Doubled quotes do not prove that line breaks and delimiters belong to cells: in a CSV file without
  // quotes, a user may have typed the doubled quotes.
  const isRivalled = isUnquoted && (!hasDoubled || hasLineBreaks || hasDelimiters);
  // Only PHP's CSV dialect can be proven by the file itself. If a cell of a PHP file ends with two
  // backslashes, a dialect with backslash escapes ends the cell at the same place, so it fits the file, too.
  if (survivor !== php || survivors.length > 1 || isRivalled) throw problems.severalEscapes();
  if (hasPlainRival(survivor)) throw problems.severalQuotes('none');
  return survivor;
}

/**
 * Returns whether backslashes precede only some of the quotes in a CSV file. A program that writes cells
 * without quotes would escape all quotes or none.
 */
const isHalfEscaped = (unquoted: Reading, { main, plain }: Readings): boolean =>
  unquoted.facts.hasEscapedQuotes && (main !== plain || plain.facts.bareIn.has('"'));

/**
 * Chooses among the dialects that fit a CSV file if the operator has said that backslashes are escapes.
 * Whether cells are in quotes may still be unknown.
 * @param csvNull the operator's text for null, if given
 */
function readingWithBackslashes(
  readings: Readings,
  csvNull: string | undefined,
  problems: DialectProblems,
): Reading {
  const { plain, main, quote, isQuoteKnown } = readings;
  const escaping = 'backslash';
  const withoutQuotes = readings.find({ quote: undefined, escaping, escapesUnquoted: true }) ?? plain;
  if (quote === undefined) return onlyReading(readings, withoutQuotes, problems);
  // Not every dialect was tried on the CSV file, so the first of these that was tried is taken. If no cell
  // starts with a quote, none with quotes was tried. If the file has no backslash, none with escapes was
  // tried. The dialect with escapes outside quotes is also missing if a backslash outside quotes was read as
  // text before the first quote.
  const all =
    readings.find({ quote, escaping, escapesUnquoted: true }) ??
    readings.find({ quote, escaping }) ??
    readings.find({ quote, escaping: 'doubled' }) ??
    withoutQuotes;
  // If no quoted cell has a backslash, no dialect with escapes in quotes was tried. The dialect with doubled
  // quotes (`main`) then gives the same cells.
  const quotedOnly = readings.find({ quote, escaping }) ?? main;
  const fits = (one: Reading) => one.problem === undefined && bareQuote(readings, one) === undefined;
  const first = [all, quotedOnly].find(fits);
  const isUnquoted = !isQuoteKnown && isTable(withoutQuotes) && !isHalfEscaped(withoutQuotes, readings);
  const withOtherQuotes = readingWithOtherQuotes(readings);
  if (withOtherQuotes !== undefined) throw problems.severalQuotes(withOtherQuotes.rules.quote);
  if (first === undefined) {
    if (isUnquoted) return withoutQuotes;
    throw problems.inconsistent(all.problem ?? bareQuote(readings, all) ?? { record: 1, what: 'is odd' });
  }
  if (first === all && all.facts.hasUnquotedEscapes && fits(quotedOnly)) {
    throw first.facts.hasQuotes ? problems.unquotedBackslashes() : problems.unquotedOrNone();
  }
  if (isUnquoted && first.facts.hasQuotes) throw problems.severalQuotes('none');
  // The unquoted cells of this CSV file have no escape other than `\N`. If the operator named another text
  // for null, `\N` is plain text, so only quoted cells have escapes.
  return csvNull !== undefined && first === all && fits(quotedOnly) ? quotedOnly : first;
}

/**
 * Checks that all rows of a CSV file have the same length. A row of another length may be the rest of a cell,
 * so it stops the file unless the operator named the escaping. A single broken row is only rejected later,
 * with its user, if the file has line breaks inside quotes, which show that its writer quotes them. Two
 * broken rows stop the file even then: in a file of another dialect, a user may have typed a header, quoted
 * line breaks and rows into the first cell, and the row of every other user would then be broken.
 */
function checkRows(
  { shape, facts }: Reading,
  headerRows: number,
  { csvEscape }: ReadOptions,
  problems: DialectProblems,
): void {
  if (csvEscape === 'doubled' || csvEscape === 'php') return;
  const isSingle = facts.hasLineBreaks && shape.foreign === undefined && shape.raggedCount === 1;
  // Without a header, all rows of the CSV file must have the same number of cells. With a header, cells at
  // the end of a row may be missing if their headers are empty.
  const problem = headerRows === 0 ? (shape.ragged ?? shape.uneven) : isSingle ? undefined : shape.ragged;
  if (problem !== undefined) throw problems.ragged(problem);
}

/**
 * Returns the texts that mean null in a CSV file. If the file has only one unquoted `NULL`, it may be a
 * user's name, so the operator must decide.
 */
function nullsOf(
  { facts }: Reading,
  { showsQuotes }: SniffedCsv,
  { csvNull }: ReadOptions,
  problems: DialectProblems,
): readonly string[] {
  if (csvNull !== undefined) return [csvNull];
  if (facts.nullWords === 1 && !showsQuotes) throw problems.oneNull();
  return NULL_WORDS;
}
