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

export const verdictRows = (verdicts: VerdictCounts, isDone: boolean): string[][] =>
  WORDS.filter(([result]) => verdicts.of(result) > 0).map(([result, word]) => [
    count(verdicts.of(result)),
    isDone ? word : result,
    verdicts
      .reasonsOf(result)
      .map(([reason, number]) => `${reason} ${count(number)}`)
      .join(', '),
  ]);

/** Returns lines such as `  conflicts: DUPLICATE_EMAIL 5`. */
export const reasonLines = (verdicts: VerdictCounts): string[] =>
  WORDS.flatMap(([result, word]) => {
    const reasons = verdicts.reasonsOf(result).map(([reason, number]) => `${reason} ${count(number)}`);
    return reasons.length === 0 ? [] : `  ${word}: ${reasons.join(', ')}`;
  });

/** Returns `950 imported (900 new, 50 existed) + 40 skipped + 5 conflicts + 5 errors`. */
export const verdictSum = (verdicts: VerdictCounts, written?: Written): string =>
  WORDS.map(
    ([result, word]) =>
      `${count(verdicts.of(result))} ${word}${result === 'import' ? newAndExisting(written) : ''}`,
  ).join(' + ');

const newAndExisting = (written: Written | undefined) =>
  written === undefined || written.updated === 0
    ? ''
    : ` (${count(written.created)} new, ${count(written.updated)} existed)`;

export const verdictParts = (verdicts: VerdictCounts): string[] =>
  WORDS.filter(([result]) => verdicts.of(result) > 0).map(
    ([result, word]) => `${word} ${count(verdicts.of(result))}`,
  );
