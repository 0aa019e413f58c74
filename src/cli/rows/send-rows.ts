import { isJsonObject, type JsonObject } from '../../lib/json/json-object.ts';
import type { Verdict } from '../../sources/pipeline/verdict.ts';
import type { VerdictFiles } from '../files/verdict-files.ts';
import type { ImportOptions } from '../import-id.ts';
import type { ServiceAddress } from '../options/service-options.ts';
import { ServiceProblem } from '../service-client/service-problem.ts';
import { streamLines } from '../service-client/stream-lines.ts';
import { RowLedger, type Written } from './row-ledger.ts';
import { Condition, linesOf, type RowLines } from './row-lines.ts';
import { VerdictCounts } from './verdict-counts.ts';

const MAX_NAMED = 100;
/** Time to wait after Ctrl-C for the answers to rows that were sent. */
const LAST_ANSWERS_MS = 10_000;

/**
 * Sends all rows once, as one stream of lines.
 * @throws {ServiceProblem} if the service did not process all lines
 * @throws the reason of `interrupted`, once the rows that were sent are answered or some seconds have passed
 */
export async function sendRows(work: RowImport): Promise<Omit<ImportedRows, 'importId' | 'isResumed'>> {
  const { files, service, interrupted, timeoutMs, options } = work;
  const verdicts = new VerdictCounts();
  const written: Written = { created: 0, updated: 0, disabled: 0 };
  const named: string[] = [];
  files?.restart();
  const ledger = new RowLedger(written, (row) => {
    verdicts.add(row);
    files?.add(row);
  });
  const condition = new Condition();
  const giveUp = new AbortController();
  let lastAnswers: NodeJS.Timeout | undefined;
  const onInterrupted = () => {
    lastAnswers = setTimeout(() => giveUp.abort(interrupted.reason), LAST_ANSWERS_MS).unref();
  };
  interrupted.addEventListener('abort', onInterrupted);
  const lines: RowLines = {
    ...{ ledger, condition, interrupted, rows: work.rows },
    needsOriginals: files?.needsOriginals ?? false,
    mentionsAll: options.deleteMissing !== undefined,
    disables: disablesUsers(options),
    onBatch: () => work.onProgress(verdicts),
  };
  try {
    const summary = await streamLines({
      ...{ service, timeoutMs, giveUp: giveUp.signal, query: queryOf(work) },
      lines: (over) => linesOf(lines, over),
      onResult(result) {
        if (!ledger.settle(result.line, result)) throw mismatchedAnswer();
      },
      onMissing({ status, externalUserId }) {
        if (status === 'REMOVED' && named.length < MAX_NAMED) named.push(externalUserId);
      },
      onPiece() {
        work.onProgress(verdicts);
        condition.wake();
      },
      isWaiting: () => ledger.awaited > 0,
    });
    // The service's summary must count as many lines as it has answered, and every row have one final verdict.
    if (summary.lines !== ledger.answers || verdicts.rows !== ledger.rows) throw mismatchedAnswer();
    const missing = isJsonObject(summary.missing) ? missingOf(summary.missing, named) : undefined;
    return { verdicts, written, missing, lines: ledger.answers };
  } finally {
    clearTimeout(lastAnswers);
    interrupted.removeEventListener('abort', onInterrupted);
  }
}

function missingOf(counts: JsonObject, named: readonly string[]): MissingUsers {
  const [found, removed, kept] = [counts.found, counts.removed, counts.kept].map(Number);
  if (![found, removed, kept].every(Number.isSafeInteger)) throw mismatchedAnswer();
  return {
    ...{ found: found as number, removed: removed as number, kept: kept as number, named },
    ...(typeof counts.refused === 'string' && { refused: counts.refused }),
  };
}

function queryOf({ options, isDryRun, total, importId, name }: RowImport): string {
  const { onConflict, hashingSecretId, matchBy, source, trustExternalIds, deleteMissing } = options;
  return new URLSearchParams({
    importId,
    name,
    onConflict,
    ...(hashingSecretId !== undefined && { hashingSecretId }),
    ...(matchBy !== undefined && { matchBy }),
    ...(source !== undefined && { source }),
    ...(trustExternalIds === true && { trustExternalIds: 'true' }),
    ...(deleteMissing !== undefined && { deleteMissing: String(deleteMissing) }),
    ...(isDryRun && { dryRun: 'true' }),
    ...(total !== undefined && { total: String(total) }),
  }).toString();
}

const mismatchedAnswer = () =>
  new ServiceProblem('The answer of the service does not belong to what was sent.', { retry: 'seldom' });

export interface RowImport {
  service: ServiceAddress;
  importId: string;
  name: string;
  options: ImportOptions;
  isDryRun: boolean;
  total: number | undefined;
  /** Yields all rows of the files, in order, and the same ones in each call. */
  rows(signal: AbortSignal): AsyncGenerator<readonly Verdict[]>;
  files: VerdictFiles | undefined;
  timeoutMs: number;
  /** Aborts on Ctrl-C. */
  interrupted: AbortSignal;
  onProgress(verdicts: VerdictCounts): void;
}

/** Counts of missing users: users of earlier imports whom no row names. */
interface MissingUsers {
  found: number;
  removed: number;
  kept: number;
  /** Error code that states why no missing user was removed. */
  refused?: string;
  /** External ids of the first missing users who were removed. */
  named: readonly string[];
}

export interface ImportedRows {
  importId: string;
  verdicts: VerdictCounts;
  written: Written;
  /** Number of lines that were sent: imported users, and users to disable. */
  lines: number;
  /** Undefined unless the import removes missing users. */
  missing: MissingUsers | undefined;
  /** Whether the import began before this run of the tool. */
  isResumed: boolean;
}

/** Returns whether rows that are left out as disabled disable the users whom an earlier import created. */
export const disablesUsers = ({ matchBy, onConflict }: Pick<ImportOptions, 'matchBy' | 'onConflict'>) =>
  matchBy !== undefined && onConflict !== 'skip' && onConflict !== 'fail';
