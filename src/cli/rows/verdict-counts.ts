import { RESULTS, type Verdict } from '../../sources/pipeline/verdict.ts';
import { count, printable } from '../terminal/text.ts';
import type { Written } from './row-ledger.ts';

export class VerdictCounts {
  readonly #counts = new Map<Verdict['result'], number>();
  readonly #reasons = new Map<Verdict['result'], Map<string, number>>();

  add({ result, reason }: Pick<Verdict, 'result' | 'reason'>): void {
    this.#counts.set(result, this.of(result) + 1);
    if (reason === undefined) return;
    const reasons = this.#reasons.get(result) ?? new Map<string, number>();
    this.#reasons.set(result, reasons.set(reason, (reasons.get(reason) ?? 0) + 1));
  }

  of(result: Verdict['result']): number {
    return this.#counts.get(result) ?? 0;
  }

  get rows(): number {
    return RESULTS.reduce((sum, result) => sum + this.of(result), 0);
  }

  /** Number of rows that were neither imported nor skipped on purpose. */
  get failed(): number {
    return this.of('conflict') + this.of('error');
  }

  /** Returns reasons with their counts, the most frequent first. */
  reasonsOf(result: Verdict['result']): [reason: string, count: number][] {
    return [...(this.#reasons.get(result) ?? [])].sort(([, a], [, b]) => b - a);
  }

  toJSON() {
    const reasons = Object.fromEntries(RESULTS.flatMap((result) => this.reasonsOf(result)));
    return {
      rows: this.rows,
      imported: this.of('import'),
      skipped: this.of('skip'),
      conflicts: this.of('conflict'),
      errors: this.of('error'),
      reasons,
    };
  }
}

const WORDS: [result: Verdict['result'], word: string][] = [
  ['import', 'imported'],
  ['skip', 'skipped'],
  ['conflict', 'conflicts'],
  ['error', 'errors'],
];

/** Returns table rows such as `5  conflict  DUPLICATE_EMAIL 5`. */
export const verdictRows = (verdicts: VerdictCounts): string[][] =>
  RESULTS.filter((result) => verdicts.of(result) > 0).map((result) => [
    count(verdicts.of(result)),
    result,
    reasonsText(verdicts, result),
  ]);

/** Returns lines such as `  conflicts: DUPLICATE_EMAIL 5`. */
export const reasonLines = (verdicts: VerdictCounts): string[] =>
  WORDS.filter(([result]) => verdicts.reasonsOf(result).length > 0).map(
    ([result, word]) => `  ${word}: ${reasonsText(verdicts, result)}`,
  );

/** Returns `DUPLICATE_EMAIL 5, ADDRESS_SHARED 2`. */
export const reasonsText = (verdicts: VerdictCounts, ...results: Verdict['result'][]): string =>
  results
    .flatMap((result) => verdicts.reasonsOf(result))
    .map(([reason, number]) => `${reason} ${count(number)}`)
    .join(', ');

/** Returns `950 imported (900 new, 50 existed) + 40 skipped + 5 conflicts + 5 errors`. */
export const verdictSum = (verdicts: VerdictCounts, written?: Written, imported = 'imported'): string =>
  WORDS.map(
    ([result, word]) =>
      `${count(verdicts.of(result))} ${result === 'import' ? `${imported}${newAndExisting(written)}` : word}`,
  ).join(' + ');

const newAndExisting = (written: Written | undefined) =>
  written === undefined || written.updated === 0
    ? ''
    : ` (${count(written.created)} new, ${count(written.updated)} existed)`;

export const verdictParts = (verdicts: VerdictCounts): string[] =>
  WORDS.filter(([result]) => verdicts.of(result) > 0).map(
    ([result, word]) => `${word} ${count(verdicts.of(result))}`,
  );

export interface Place {
  file: string;
  /** Name of the table. Only set if the file has several. */
  table?: string;
  row: number;
}

export const placeOf = ({ file, table, row, isOfSeveralTables }: Verdict): Place =>
  isOfSeveralTables ? { file, table, row } : { file, row };

/** Returns `row 7 of users.csv`, or `row 7 of dump.sql, users` if the file has several tables. */
export const placeText = ({ file, table, row }: Place): string =>
  `row ${count(row)} of ${printable(table === undefined ? file : `${file}, ${table}`)}`;
