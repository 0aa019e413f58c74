import type { ReadOptions } from '../table.ts';
import type { CsvDialect, SniffedCsv } from './csv-dialect.ts';
import type { Reading } from './csv-reading.ts';
import { DialectProblems } from './dialect-problems.ts';
import { Readings } from './readings.ts';
import type { ReadingProblem } from './row-shape.ts';

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
  const { delimiter, newline, others, moreFrequent, showsQuotes } = sniffed;
  const readings = new Readings({ delimiter, newline }, options, showsQuotes);
  const otherReadings = others.map((other) => new Readings({ delimiter: other, newline }, options, false));
  let size = 0;
  return {
    push(bytes) {
      // One character for each byte: all that means something is ASCII.
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
      // Any of its readings: cells of the first row may hold the delimiter that was chosen.
      const rival = otherReadings.find((one) => one.all.some(isTable));
      if (rival !== undefined) throw problems.severalDelimiters(rival.plain.rules.delimiter);
      return { ...chosen.rules, nulls: nullsOf(chosen, sniffed, options, problems) };
    },
  };
}

/** Whether all rows are as a writer of this dialect leaves them. */
const isConsistent = ({ problem, shape }: Reading): boolean =>
  problem === undefined && shape.ragged === undefined;

/** The same, of a reading for which few columns are no sign of anything: without quotes, or with another delimiter. */
const isTable = (reading: Reading): boolean =>
  isConsistent(reading) && reading.shape.columns > 1 && reading.shape.uneven === undefined;

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

/** Where the quote is known, no reading has another. */
const readingWithOtherQuotes = ({ all, quote }: Readings): Reading | undefined =>
  all.find((one) => one.rules.quote !== undefined && one.rules.quote !== quote && isConsistent(one));

function onlyReading(readings: Readings, reading: Reading, problems: DialectProblems): Reading {
  const problem = reading.problem ?? bareQuote(readings, reading);
  if (problem !== undefined) throw problems.inconsistent(problem);
  return reading;
}

/** A quote within a cell that is not in quotes: no writer that knows quotes leaves it so. */
function bareQuote({ quote = '' }: Readings, { rules, facts }: Reading): ReadingProblem | undefined {
  const record = rules.quote === undefined ? facts.bareIn.get(quote) : undefined;
  return record === undefined
    ? undefined
    : { record, what: 'has a quote within a cell that is not in quotes' };
}

/** Chooses where the operator has not said how quotes are escaped. */
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
  // Backslashes that escape and doubled quotes in one file are PHP's.
  const survivors = [...(isPhp ? [php] : []), ...withBackslashes.filter((one) => !one?.facts.hasDoubled)];
  const [survivor] = survivors;
  if (withOtherQuotes !== undefined) throw problems.otherQuotes(mainProblem, withOtherQuotes.rules.quote);
  if (survivor === undefined) throw problems.inconsistent(mainProblem);
  const { hasDoubled, hasLineBreaks, hasDelimiters } = survivor.facts;
  // Doubled quotes do not prove that line breaks and delimiters are within cells: in a file without quotes, somebody typed them.
  const isRivalled = isUnquoted && (!hasDoubled || hasLineBreaks || hasDelimiters);
  // Only PHP is known by its file. The end of a cell of PHP that ends with two backslashes is read alike where backslashes escape.
  if (survivor !== php || survivors.length > 1 || isRivalled) throw problems.severalEscapes();
  if (hasPlainRival(survivor)) throw problems.severalQuotes('none');
  return survivor;
}

/** A writer that knows no quotes escapes all of them or none. */
const isHalfEscaped = (unquoted: Reading, { main, plain }: Readings): boolean =>
  unquoted.facts.hasEscapedQuotes && (main !== plain || plain.facts.bareIn.has('"'));

/**
 * Chooses where the operator has said that backslashes escape. Whether cells are in quotes may still be open.
 * @param csvNull the text that stands for null, if the operator has named it
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
  // There is no reading with quotes if no cell begins with a quote, and no reading with backslashes if the file has none. The reading
  // that escapes outside quotes is missing, too, if a backslash there had ended it before the first quote.
  const all =
    readings.find({ quote, escaping, escapesUnquoted: true }) ??
    readings.find({ quote, escaping }) ??
    readings.find({ quote, escaping: 'doubled' }) ??
    withoutQuotes;
  // The main reading is the same as this one if no quoted cell has a backslash.
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
  // The file has no escapes outside quotes but `\N`. That is text if the operator has named another text for null.
  return csvNull !== undefined && first === all && fits(quotedOnly) ? quotedOnly : first;
}

/**
 * Rows of another length are refused one by one only if it is certain where rows end: if a line break in a cell is known to be in
 * quotes. Else such a row may be the rest of a cell.
 */
function checkRows(
  { shape, facts }: Reading,
  headerRows: number,
  { csvEscape }: ReadOptions,
  problems: DialectProblems,
): void {
  const isCertain = facts.hasLineBreaks || csvEscape === 'doubled' || csvEscape === 'php';
  // Only names of a header may lack their cells.
  const problem = shape.ragged ?? (headerRows === 0 ? shape.uneven : undefined);
  if (problem !== undefined && !isCertain) throw problems.ragged(problem);
}

/** A single `NULL` in a file may be somebody's name. */
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
