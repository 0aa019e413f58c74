import { CliError, EXIT } from '../cli-error.ts';
import type { VerdictFiles } from '../files/verdict-files.ts';
import { freshId, partIdsOf } from '../import-id.ts';
import { DuplicatesInDryRun } from '../rows/feed-rows.ts';
import { type ImportedRows, type RowImport, sendRows } from '../rows/send-rows.ts';
import { type VerdictCounts, verdictParts } from '../rows/verdict-counts.ts';
import { findImport } from '../service-client/import-records.ts';
import { ServiceProblem, withRetries } from '../service-client/service-problem.ts';
import { withSecretIds } from '../service-client/signer-keys.ts';
import { ProgressLine } from '../terminal/progress-line.ts';
import { counted, durationText } from '../terminal/text.ts';
import type { ImportWork } from './import-checks.ts';

const NO_FILES: VerdictFiles = {
  needsOriginals: false,
  add: () => {},
  restart: () => {},
  finish: () => {},
  discard: () => {},
};

interface RowsRun {
  isDryRun: boolean;
  total: number | undefined;
  files?: VerdictFiles;
  title: string;
  /** Returns an error if so many rows have failed that the import must stop. */
  isTooMany?: ((verdicts: VerdictCounts) => CliError | undefined) | undefined;
}

/** @throws {CliError} with the next step for the operator */
export async function runRows(work: ImportWork, run: RowsRun): Promise<ImportedRows> {
  const { context, addresses, parallel, prepared, options, importId, retryForMs, timeoutMs } = work;
  const { terminal, interruption } = context;
  const { isDryRun, total, files = NO_FILES, title, isTooMany } = run;
  const loaded = await prepared.load({ signal: interruption.signal });
  const tooMany = new AbortController();
  const line = new ProgressLine(terminal, title);
  let furthest: VerdictCounts | undefined;
  let hasShownPause = false;
  try {
    const imported = await importRows({
      addresses,
      parallel,
      importId: () => (isDryRun ? freshId(importId, 'dry') : importId),
      options,
      isDryRun,
      total,
      rows: (signal) => withSecretIds(loaded.verdicts(signal), work.signerKeys),
      files,
      timeoutMs,
      interrupted: AbortSignal.any([interruption.signal, tooMany.signal]),
      retry: {
        retryForMs,
        onPause({ message }, pauseMs) {
          line.clear();
          const text = `${message} Trying again in ${durationText(Math.max(1000, pauseMs))}.`;
          if (hasShownPause) terminal.show(text);
          else terminal.say(text);
          hasShownPause = true;
        },
      },
      onProgress(verdicts) {
        // A retry starts again at row 0. An error must state the most rows that any attempt completed.
        if (verdicts.rows >= (furthest?.rows ?? 0)) furthest = verdicts;
        const problem = isTooMany?.(verdicts);
        if (problem !== undefined && !tooMany.signal.aborted) tooMany.abort(problem);
        line.update(() => ({
          amount: verdicts.rows,
          say: (rows) => counted(rows, 'row'),
          share: shareOf(verdicts, total) ?? Math.min(1, verdicts.rows / Math.max(1, loaded.rows)),
          verdicts: verdictParts(verdicts),
        }));
      },
    });
    files.finish();
    return imported;
  } catch (error) {
    line.clear();
    if (tooMany.signal.aborted)
      throw new CliError(
        `${(tooMany.signal.reason as CliError).message} ${counted(furthest?.rows ?? 0, 'row')} are done (import ${importId}).`,
        { exitCode: EXIT.someFailed },
      );
    throw addNextStep(error, work, run, furthest);
  } finally {
    line.clear();
  }
}

/** Share of users that the service has finished. Reading is ahead, so a share of bytes would be too high. */
function shareOf(verdicts: VerdictCounts, total: number | undefined): number | undefined {
  if (total === undefined || total === 0) return undefined;
  return Math.min(1, verdicts.of('import') / total);
}

function addNextStep(
  error: unknown,
  { context: { flags, interruption }, importId, parallel }: ImportWork,
  { isDryRun }: RowsRun,
  verdicts: VerdictCounts | undefined,
): unknown {
  const rows = verdicts?.rows ?? 0;
  const isInterrupted = interruption.signal.aborted;
  const isExplained = error instanceof ServiceProblem || error instanceof CliError;
  if (!isInterrupted && !isExplained) return error;
  const isPassing = isInterrupted || (error instanceof ServiceProblem && error.retry !== 'never');
  if (!isPassing && (rows === 0 || isOver(error))) return error;
  const why = isInterrupted || !isExplained ? 'Stopped.' : error.message;
  const isFull =
    !isInterrupted && parallel > 1 && error instanceof ServiceProblem && error.code === 'OVERLOADED';
  const room = isFull
    ? ` ${parallel} parts may be more than the instances take at once (bulk_import_connections of each).`
    : '';
  const done = `${counted(rows, 'row')} ${isDryRun ? 'were tried' : 'are done'}.`;
  const how = flags.has('new') ? `with --import-id ${importId} in place of --new` : 'as it is';
  const when = isPassing ? 'Run' : 'Once that is mended, run';
  const next = isDryRun
    ? 'Nothing was written.'
    : `${when} the same command again, ${how}: it continues from there (import ${importId}).`;
  return new CliError(`${why}${room} ${done} ${next}`, {
    ...(isInterrupted && { exitCode: interruption.exitCode }),
    cause: error,
  });
}

/** Errors IMPORT_… refuse the whole import, and their message already states the next step. */
const isOver = (error: unknown) =>
  error instanceof ServiceProblem && error.code?.startsWith('IMPORT_') === true;

/**
 * Sends all rows again after a failure that may pass. The service skips lines that it has already processed.
 * @throws {ServiceProblem} if the import cannot be finished
 * @throws {CliError} after Ctrl-C, once the rows that were sent are answered
 */
async function importRows(work: RowImport): Promise<ImportedRows> {
  let { parallel } = work;
  let begun: Begun | undefined;
  let most = 0;
  return withRetries({ ...work.retry, signal: work.interrupted }, async (progressed) => {
    const onProgress = (verdicts: VerdictCounts) => {
      work.onProgress(verdicts);
      if (verdicts.rows <= most) return;
      most = verdicts.rows;
      progressed();
    };
    const attempt = async (): Promise<ImportedRows> => {
      const importId = work.importId();
      begun = await lookUp(work, partIdsOf(importId, parallel), begun);
      const { isResumed } = begun;
      return { ...(await sendRows({ ...work, parallel, onProgress }, importId)), isResumed };
    };
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof DuplicatesInDryRun)) throw error;
      parallel = 1;
      return await attempt();
    }
  });
}

interface Begun {
  isResumed: boolean;
}

/** @param before the result of an earlier attempt; then the call only checks that the service answers */
async function lookUp(
  { addresses, timeoutMs, interrupted }: RowImport,
  ids: readonly string[],
  before: Begun | undefined,
): Promise<Begun> {
  let isResumed = false;
  for (const id of before === undefined ? ids : ids.slice(0, 1)) {
    const record = await addresses.ask(0, (service) =>
      findImport(service, id, { timeoutMs, signal: interrupted }),
    );
    isResumed ||= record !== undefined;
  }
  return before ?? { isResumed };
}
