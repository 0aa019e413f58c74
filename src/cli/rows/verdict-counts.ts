import { RESULTS, type Verdict } from '../../sources/pipeline/verdict.ts';

export class VerdictCounts {
  readonly #counts = new Map<Verdict['result'], number>();
  readonly #reasons = new Map<Verdict['result'], Map<string, number>>();

  add({ result, reason }: Verdict): void {
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

  toJSON(): object {
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
