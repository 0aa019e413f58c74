import type { Verdict } from '../../sources/pipeline/verdict.ts';
import { count } from '../terminal/text.ts';
import type { Written } from './row-ledger.ts';
import type { VerdictCounts } from './verdict-counts.ts';

const WORDS: [result: Verdict['result'], word: string][] = [
  ['import', 'imported'],
  ['skip', 'skipped'],
  ['conflict', 'conflicts'],
  ['error', 'errors'],
];

/**
 * Returns table cells: for each verdict its number of rows, its name and the reasons. Verdicts without rows
 * are left out.
 */
export const verdictRows = (verdicts: VerdictCounts, isDone: boolean): string[][] =>
  WORDS.filter(([result]) => verdicts.of(result) > 0).map(([result, word]) => [
    count(verdicts.of(result)),
    isDone ? word : result,
    verdicts
      .reasonsOf(result)
      .map(([reason, number]) => `${reason} ${count(number)}`)
      .join(', '),
  ]);

/** Returns a line of text for each verdict that has reasons: `  conflicts: DUPLICATE_EMAIL 5`. */
export const reasonLines = (verdicts: VerdictCounts): string[] =>
  WORDS.flatMap(([result, word]) => {
    const reasons = verdicts.reasonsOf(result).map(([reason, number]) => `${reason} ${count(number)}`);
    return reasons.length === 0 ? [] : `  ${word}: ${reasons.join(', ')}`;
  });

/**
 * Returns the counts of rows as a sum, such as
 * `950 imported (900 new, 50 existed) + 40 skipped + 5 conflicts + 5 errors`.
 */
export const verdictSum = (verdicts: VerdictCounts, written?: Written): string =>
  WORDS.map(
    ([result, word]) =>
      `${count(verdicts.of(result))} ${word}${result === 'import' ? newAndExisting(written) : ''}`,
  ).join(' + ');

const newAndExisting = (written: Written | undefined) =>
  written === undefined || written.updated === 0
    ? ''
    : ` (${count(written.created)} new, ${count(written.updated)} existed)`;

/** Returns the counts of rows by verdict for the progress line. The most important is first. */
export const verdictParts = (verdicts: VerdictCounts): string[] =>
  WORDS.filter(([result]) => verdicts.of(result) > 0).map(
    ([result, word]) => `${word} ${count(verdicts.of(result))}`,
  );
