import { CliError, EXIT } from '../cli-error.ts';
import type { VerdictFiles } from '../files/verdict-files.ts';
import { freshId, importNameOf } from '../import-id.ts';
import { type ImportedRows, sendRows } from '../rows/send-rows.ts';
import { type VerdictCounts, verdictParts } from '../rows/verdict-counts.ts';
import { ServiceProblem, withRetries } from '../service-client/service-problem.ts';
import { withSecretIds } from '../service-client/signer-keys.ts';
import { ProgressLine } from '../terminal/progress-line.ts';
import { counted, durationText } from '../terminal/text.ts';
import type { ImportWork } from './import-checks.ts';

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
 * Sends all rows, and again after a failure that may pass. The service skips lines that it has already processed.
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
        rows: (signal) => withSecretIds(loaded.verdicts(signal), work.signerKeys),
        onProgress(verdicts) {
          const { rows } = verdicts;
          if (rows > furthest) {
            furthest = rows;
            progressed();
          }
          const problem = isTooMany?.(verdicts);
          if (problem !== undefined && !tooMany.signal.aborted) tooMany.abort(problem);
          line.update(() => ({
            amount: rows,
            share: Math.min(1, rows / Math.max(1, loaded.rows)),
            others: verdictParts(verdicts),
          }));
        },
      });
      return { ...sent, importId: id, isResumed };
    });
    files?.finish();
    return imported;
  } catch (error) {
    if (tooMany.signal.aborted)
      throw new CliError(
        `${(tooMany.signal.reason as CliError).message} ${counted(furthest, 'row')} are done (import ${importId}).`,
        { exitCode: EXIT.someFailed },
      );
    throw addNextStep(error, work, run, furthest);
  }
}

function addNextStep(
  error: unknown,
  { context: { flags, interruption }, importId }: ImportWork,
  { isDryRun }: RowsRun,
  rows: number,
): unknown {
  const isInterrupted = interruption.signal.aborted;
  const isExplained = error instanceof ServiceProblem || error instanceof CliError;
  if (!isInterrupted && !isExplained) return error;
  const isPassing = isInterrupted || (error instanceof ServiceProblem && error.retry !== 'never');
  if (!isPassing && (rows === 0 || isOver(error))) return error;
  const why = isInterrupted || !isExplained ? 'Stopped.' : error.message;
  const done = `${counted(rows, 'row')} ${isDryRun ? 'were tried' : 'are done'}.`;
  const how = flags.has('new') ? `with --import-id ${importId} in place of --new` : 'as it is';
  const when = isPassing ? 'Run' : 'Once that is mended, run';
  const next = isDryRun
    ? 'Nothing was written.'
    : `${when} the same command again, ${how}: it continues from there (import ${importId}).`;
  return new CliError(`${why} ${done} ${next}`, {
    ...(isInterrupted && { exitCode: (interruption.signal.reason as CliError).exitCode }),
    cause: error,
  });
}

/** Errors IMPORT_… refuse the whole import, and their message already states the next step. */
const isOver = (error: unknown) =>
  error instanceof ServiceProblem && error.code?.startsWith('IMPORT_') === true;
