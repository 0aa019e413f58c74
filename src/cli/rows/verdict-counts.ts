import { RESULTS, type Verdict } from '../../sources/pipeline/verdict.ts';
import { count, printable } from '../terminal/text.ts';

type Result = Verdict['result'];

const WORDS: Readonly<Record<Result, string>> = {
  import: 'imported',
  skip: 'skipped',
  conflict: 'conflicts',
  error: 'errors',
};

/** Results whose words are nouns in the plural. For one row, the result itself is the singular. */
const NOUNS: ReadonlySet<Result> = new Set(['conflict', 'error']);

export class VerdictCounts {
  readonly #counts = new Map<Result, number>();
  readonly #reasons = new Map<Result, Map<string, number>>();

  add({ result, reason }: Pick<Verdict, 'result' | 'reason'>): void {
    this.#counts.set(result, this.of(result) + 1);
    if (reason === undefined) return;
    const reasons = this.#reasons.get(result) ?? new Map<string, number>();
    this.#reasons.set(result, reasons.set(reason, (reasons.get(reason) ?? 0) + 1));
  }

  of(result: Result): number {
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
  reasonsOf(...results: Result[]): [reason: string, count: number][] {
    return results.flatMap((result) => [...(this.#reasons.get(result) ?? [])].sort(([, a], [, b]) => b - a));
  }

  toJSON() {
    return {
      rows: this.rows,
      imported: this.of('import'),
      skipped: this.of('skip'),
      conflicts: this.of('conflict'),
      errors: this.of('error'),
      reasons: Object.fromEntries(this.reasonsOf(...RESULTS)),
    };
  }
}

/** Returns `DUPLICATE_EMAIL 5, ADDRESS_SHARED 2`. */
export const reasonsText = (verdicts: VerdictCounts, ...results: Result[]): string =>
  verdicts
    .reasonsOf(...results)
    .map(([reason, number]) => `${reason} ${count(number)}`)
    .join(', ');

const resultsOf = (verdicts: VerdictCounts) => RESULTS.filter((result) => verdicts.of(result) > 0);

/** Returns table rows such as `5  conflict  DUPLICATE_EMAIL 5`. */
export const verdictRows = (verdicts: VerdictCounts): string[][] =>
  resultsOf(verdicts).map((result) => [count(verdicts.of(result)), result, reasonsText(verdicts, result)]);

/** Returns lines such as `  conflicts: DUPLICATE_EMAIL 5`. */
export const reasonLines = (verdicts: VerdictCounts): string[] =>
  resultsOf(verdicts)
    .filter((result) => verdicts.reasonsOf(result).length > 0)
    .map((result) => `  ${WORDS[result]}: ${reasonsText(verdicts, result)}`);

/** Returns texts such as `imported 12`. */
export const verdictParts = (verdicts: VerdictCounts): string[] =>
  resultsOf(verdicts).map((result) => `${WORDS[result]} ${count(verdicts.of(result))}`);

/** Returns `950 imported (900 new, 50 existed) + 40 skipped + 5 conflicts + 5 errors`. */
export function verdictSum(
  verdicts: VerdictCounts,
  { created, updated }: { created: number; updated: number } = { created: 0, updated: 0 },
  imported = WORDS.import,
): string {
  const existed = updated === 0 ? '' : ` (${count(created)} new, ${count(updated)} existed)`;
  const words = { ...WORDS, import: `${imported}${existed}` };
  return RESULTS.map((result) => {
    const rows = verdicts.of(result);
    return `${count(rows)} ${rows === 1 && NOUNS.has(result) ? result : words[result]}`;
  }).join(' + ');
}

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
