import type { ReadOptions } from '../table.ts';
import type { CsvDialect, SniffedCsv } from './csv-dialect.ts';
import type { Reading } from './csv-reading.ts';
import { DialectProblems } from './dialect-problems.ts';
import { Readings } from './readings.ts';
import type { ReadingProblem } from './row-shape.ts';

/** Texts of unquoted CSV cells that mean null, unless the operator names another text. */
export const NULL_WORDS: readonly string[] = ['NULL', '\\N'];

export interface DialectChooser {
  push(bytes: Buffer): void;
  /**
   * @param headerRows 1 if the first record is a header, else 0
   * @throws {FileProblem} if the file fits no dialect, or fits several under which its cells differ
   */
  choose(headerRows: number): CsvDialect;
}

/**
 * Tries each possible dialect on a whole CSV file, all in one pass. Each trial is a "reading". The content of
 * a cell must not decide how the rest of the file is read. If two readings of the whole file fit but differ,
 * the operator must choose (docs/adr/0026-csv-dialects.md).
 */
export function createDialectChooser(sniffed: SniffedCsv, options: ReadOptions): DialectChooser {
  const { delimiter, newline, others, moreFrequent, showsQuotes } = sniffed;
  const readings = new Readings({ delimiter, newline }, options, showsQuotes);
  const otherReadings = others.map((other) => new Readings({ delimiter: other, newline }, options, false));
  let size = 0;
  return {
    push(bytes) {
      // One character per byte suffices: delimiters, quotes, escapes and line ends of CSV are ASCII.
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
      // The first row of the CSV file proves nothing: the delimiter found in it may belong to its cells.
      const rival = otherReadings.find((one) => one.all.some(isTable));
      if (rival !== undefined) throw problems.severalDelimiters(rival.plain.rules.delimiter);
      return { ...chosen.rules, nulls: nullsOf(chosen, sniffed, options, problems) };
    },
  };
}

const isConsistent = ({ problem, shape }: Reading): boolean =>
  problem === undefined && shape.ragged === undefined;

/** Returns whether a reading has several columns. A single one proves nothing for CSV without quotes. */
const isTable = (reading: Reading): boolean =>
  isConsistent(reading) && reading.shape.columns > 1 && reading.shape.uneven === undefined;

/**
 * Commas and semicolons mean CSV, whose writers put cells with line breaks in quotes. With tabs and bars many
 * programs write neither quotes nor escapes, and no content of the file can prove otherwise.
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

/** If the quote of the CSV file is known, no dialect with another one was tried. */
const readingWithOtherQuotes = ({ all, quote }: Readings): Reading | undefined =>
  all.find((one) => one.rules.quote !== undefined && one.rules.quote !== quote && isConsistent(one));

function onlyReading(readings: Readings, reading: Reading, problems: DialectProblems): Reading {
  const problem = reading.problem ?? bareQuote(readings, reading);
  if (problem !== undefined) throw problems.inconsistent(problem);
  return reading;
}

/** CSV writers that use quotes never put one inside an unquoted cell. */
function bareQuote({ quote = '' }: Readings, { rules, facts }: Reading): ReadingProblem | undefined {
  const record = rules.quote === undefined ? facts.bareIn.get(quote) : undefined;
  return record === undefined
    ? undefined
    : { record, what: 'has a quote within a cell that is not in quotes' };
}

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
  // Doubled quotes do not prove that line breaks and delimiters belong to CSV cells: a user may type them.
  const isRivalled = isUnquoted && (!hasDoubled || hasLineBreaks || hasDelimiters);
  // Only PHP's CSV dialect can be proven by the file itself. If a cell of a PHP file ends with two
  // backslashes, a dialect with backslash escapes ends the cell at the same place, so it fits the file, too.
  if (survivor !== php || survivors.length > 1 || isRivalled) throw problems.severalEscapes();
  if (hasPlainRival(survivor)) throw problems.severalQuotes('none');
  return survivor;
}

/** A program that writes CSV cells without quotes would escape all quotes or none. */
const isHalfEscaped = (unquoted: Reading, { main, plain }: Readings): boolean =>
  unquoted.facts.hasEscapedQuotes && (main !== plain || plain.facts.bareIn.has('"'));

/** The operator has said that backslashes are escapes. Whether CSV cells are in quotes may be unknown. */
function readingWithBackslashes(
  readings: Readings,
  csvNull: string | undefined,
  problems: DialectProblems,
): Reading {
  const { plain, main, quote, isQuoteKnown } = readings;
  const escaping = 'backslash';
  const withoutQuotes = readings.find({ quote: undefined, escaping, escapesUnquoted: true }) ?? plain;
  if (quote === undefined) return onlyReading(readings, withoutQuotes, problems);
  // Not every dialect was tried on the CSV file: none with quotes if no cell starts with a quote, none with
  // escapes if the file has no backslash, and none with escapes outside quotes if a backslash outside quotes
  // was read as text before the first quote.
  const all =
    readings.find({ quote, escaping, escapesUnquoted: true }) ??
    readings.find({ quote, escaping }) ??
    readings.find({ quote, escaping: 'doubled' }) ??
    withoutQuotes;
  // If no quoted CSV cell has a backslash, the dialect with doubled quotes (`main`) gives the same cells.
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
  // Unquoted CSV cells have no escape but `\N`. If another text means null, `\N` is plain text.
  return csvNull !== undefined && first === all && fits(quotedOnly) ? quotedOnly : first;
}

/**
 * A CSV row of another length may be the rest of a cell, so it stops the file unless the operator named the
 * escaping. If line breaks inside quotes show that the writer quotes, a single broken row fails alone. Two broken
 * rows always stop the file: a user may have typed a header and rows into the first cell, so that the rows of all
 * other users are broken.
 */
function checkRows(
  { shape, facts }: Reading,
  headerRows: number,
  { csvEscape }: ReadOptions,
  problems: DialectProblems,
): void {
  if (csvEscape === 'doubled' || csvEscape === 'php') return;
  const isSingle = facts.hasLineBreaks && shape.foreign === undefined && shape.raggedCount === 1;
  // With a header, cells at the end of a CSV row may be missing if their headers are empty.
  const problem = headerRows === 0 ? (shape.ragged ?? shape.uneven) : isSingle ? undefined : shape.ragged;
  if (problem !== undefined) throw problems.ragged(problem);
}

/** If a CSV file has only one unquoted `NULL`, it may be a user's name, so the operator must decide. */
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
