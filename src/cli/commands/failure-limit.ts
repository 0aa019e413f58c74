import { CliError, EXIT } from '../cli-error.ts';
import type { VerdictCounts } from '../rows/verdict-counts.ts';
import { count } from '../terminal/text.ts';

/** With `--yes`, nobody looks at a dry run, so more failures than these stop an import. */
const MIN_FAILURES = 20;
const MAX_SHARE = 0.05;

/**
 * Stops an import that nobody was asked about if many of its rows fail: a wrong option is more likely than bad data.
 * @param accepted value of `--accept-failures`
 */
export class FailureLimit {
  readonly #accepted: number | undefined;

  constructor(accepted: string | undefined) {
    if (accepted !== undefined && !/^\d{1,15}$/.test(accepted))
      throw new CliError(`--accept-failures: expected a number of rows, got ${accepted}`);
    this.#accepted = accepted === undefined ? undefined : Number(accepted);
  }

  /** @param rows number of rows of the whole export */
  isPassed({ failed }: VerdictCounts, rows: number): boolean {
    return failed > (this.#accepted ?? Math.max(MIN_FAILURES, Math.floor(rows * MAX_SHARE)));
  }

  /** @throws {CliError} if too many rows fail before any is sent */
  check(verdicts: VerdictCounts): void {
    const { failed, rows } = verdicts;
    if (!this.isPassed(verdicts, rows)) return;
    throw new CliError(
      `${count(failed)} of ${count(rows)} rows would fail (${reasonsOf(verdicts)}), so nothing is imported. user-import inspect shows an example of each. To import the others nevertheless: --accept-failures ${failed}`,
      { exitCode: EXIT.someFailed },
    );
  }

  /** The error that stops a running import. */
  problemOf(verdicts: VerdictCounts): CliError {
    return new CliError(
      `${count(verdicts.failed)} rows have failed (${reasonsOf(verdicts)}), so the import stops. To go on with the others: the same command with --accept-failures and a higher number.`,
      { exitCode: EXIT.someFailed },
    );
  }
}

const reasonsOf = (verdicts: VerdictCounts) =>
  [...verdicts.reasonsOf('conflict'), ...verdicts.reasonsOf('error')]
    .map(([reason, number]) => `${reason} ${count(number)}`)
    .join(', ');
