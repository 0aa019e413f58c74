import { CliError, EXIT } from '../cli-error.ts';
import type { CommandContext } from '../command.ts';
import type { VerdictFiles } from '../files/verdict-files.ts';
import { freshId, importNameOf } from '../import-id.ts';
import type { ImportOptions } from '../options/import-options.ts';
import type { ServiceAddress } from '../options/service-options.ts';
import type { Prepared } from '../plan/prepare.ts';
import { type ImportedRows, sendRows } from '../rows/send-rows.ts';
import { type VerdictCounts, verdictParts } from '../rows/verdict-counts.ts';
import { ServiceProblem, withRetries } from '../service-client/service-problem.ts';
import { type SecretIdOf, withSecretIds } from '../service-client/signer-keys.ts';
import { ProgressLine } from '../terminal/progress-line.ts';
import { counted, durationText } from '../terminal/text.ts';

export interface ImportWork {
  context: CommandContext;
  service: ServiceAddress;
  prepared: Prepared;
  options: ImportOptions;
  importId: string;
  secretIdOf: SecretIdOf;
  retryForMs: number;
  timeoutMs: number;
}

interface RowsRun {
  isDryRun: boolean;
  /** Whether the import began before this run of the tool. */
  isResumed?: boolean;
  /** Number of lines to send, if it is known. */
  total: number | undefined;
  files?: VerdictFiles;
  title: string;
  /** Returns an error if so many rows have failed that the import must stop. */
  isTooMany?: ((verdicts: VerdictCounts) => CliError | undefined) | undefined;
}

/**
 * Sends all rows. After a temporary failure it sends all of them again; the service skips those that it has processed.
 * @throws {CliError} with the next step for the operator
 */
export async function runRows(work: ImportWork, run: RowsRun): Promise<ImportedRows> {
  const { context, service, prepared, options, importId, retryForMs, timeoutMs } = work;
  const { terminal, interruption } = context;
  const { isDryRun, isResumed = false, total, files, title, isTooMany } = run;
  const loaded = await prepared.load({ signal: interruption.signal });
  const tooMany = new AbortController();
  const interrupted = AbortSignal.any([interruption.signal, tooMany.signal]);
  const line = new ProgressLine(terminal, title, (amount) => counted(amount, 'row'));
  // A retry starts again at row 0. An error must state the most rows that any attempt completed.
  let furthest = 0;
  let hasShownPause = false;
  const onPause = ({ message }: ServiceProblem, pauseMs: number) => {
    const text = `${message} Trying again in ${durationText(Math.max(1000, pauseMs))}.`;
    if (hasShownPause) terminal.show(text);
    else terminal.say(text);
    hasShownPause = true;
  };
  try {
    const imported = await withRetries({ retryForMs, signal: interrupted, onPause }, async (progressed) => {
      const id = isDryRun ? freshId(importId, 'dry') : importId;
      const sent = await sendRows({
        ...{ service, options, isDryRun, total, files, timeoutMs, interrupted, importId: id },
        name: importNameOf(prepared.plan),
        rows: (signal) => withSecretIds(loaded.verdicts(signal), work.secretIdOf),
        onProgress(verdicts) {
          const { rows } = verdicts;
          if (rows > furthest) {
            furthest = rows;
            progressed();
          }
          const problem = isTooMany?.(verdicts);
          if (problem !== undefined && !tooMany.signal.aborted) tooMany.abort(problem);
          const share = Math.min(1, rows / Math.max(1, loaded.rows));
          line.update(() => ({ amount: rows, share, others: verdictParts(verdicts) }));
        },
      });
      return { ...sent, importId: id, isResumed };
    });
    files?.finish();
    return imported;
  } catch (error) {
    const { reason } = tooMany.signal;
    if (reason instanceof CliError)
      throw new CliError(
        `${reason.message} ${counted(furthest, 'row')} are done (import ${importId}).`,
        EXIT.someFailed,
      );
    throw addNextStep(error, work, isDryRun, furthest);
  }
}

function addNextStep(
  error: unknown,
  { context: { interruption }, importId }: ImportWork,
  isDryRun: boolean,
  rows: number,
): unknown {
  const { aborted: isInterrupted, reason } = interruption.signal;
  const isOfService = error instanceof ServiceProblem;
  if (!isInterrupted && !isOfService && !(error instanceof CliError)) return error;
  const isPassing = isInterrupted || (isOfService && error.retry !== 'never');
  // Errors IMPORT_… refuse the whole import, and their message already states the next step.
  const isRefused = isOfService && error.code?.startsWith('IMPORT_') === true;
  if (!isPassing && (rows === 0 || isRefused)) return error;
  const why = isInterrupted ? 'Stopped.' : (error as Error).message;
  const done = `${counted(rows, 'row')} ${isDryRun ? 'were tried' : 'are done'}.`;
  const when = isPassing ? 'Run' : 'Once that is mended, run';
  const next = isDryRun
    ? 'Nothing was written.'
    : `${when} the same command again, as it is: it continues from there (import ${importId}).`;
  return new CliError(`${why} ${done} ${next}`, reason instanceof CliError ? reason.exitCode : undefined);
}
