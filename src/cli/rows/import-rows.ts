import type { Verdict } from '../../sources/pipeline/verdict.ts';
import type { OutcomeFiles } from '../files/outcome-files.ts';
import type { ImportOptions } from '../import-id.ts';
import type { ServiceAddress } from '../options/service-options.ts';
import { findImport } from '../service/import-record.ts';
import { type RetryOptions, retrying } from '../service/retrying.ts';
import { ServiceProblem } from '../service/service-problem.ts';
import { streamLines } from '../service/stream-lines.ts';
import { Outcomes } from './outcomes.ts';
import { LedgerMismatch, RowLedger, type Written } from './row-ledger.ts';

/** Most rows on their way: some chunks of the service, and what the buffers between hold. They take some 300 bytes each. */
const MAX_ROWS_ON_THEIR_WAY = 50_000;
/** After Ctrl-C: how long to wait for what was sent, in ms. */
const LAST_ANSWERS_MS = 10_000;

export interface RowImport {
  service: ServiceAddress;
  /** Asked before each attempt: a dry run that broke off is done anew, and has a new name. */
  importId(): string;
  options: ImportOptions;
  isDryRun: boolean;
  /** Of users that will be sent, where it is known. */
  total: number | undefined;
  /** All rows of the files, in batches and in order: the same ones whenever it is called with the same time. */
  convert(nowMs: number, signal: AbortSignal): AsyncGenerator<readonly Verdict[]>;
  files: OutcomeFiles;
  retry: RetryOptions;
  timeoutMs: number;
  /** Aborted by Ctrl-C. */
  interrupted: AbortSignal;
  onProgress(outcomes: Outcomes): void;
}

export interface ImportedRows {
  importId: string;
  outcomes: Outcomes;
  written: Written;
  /** The import had begun before this run of the tool. */
  isResumed: boolean;
}

/**
 * Sends all rows that are to be imported, again and again until the service has come to the end of them: it does no line twice.
 * Rows that are not are sent as blank lines, so that the number of a line is that of its row.
 * @throws {ServiceProblem} where it does not come to the end
 * @throws {Stopped} after Ctrl-C, once what was sent is answered
 */
export async function importRows(work: RowImport): Promise<ImportedRows> {
  let nowMs: number | undefined;
  let isResumed = false;
  let most = 0;
  return retrying({ ...work.retry, signal: work.interrupted }, async (progressed) => {
    const importId = work.importId();
    const record = await findImport(work.service, importId, {
      timeoutMs: work.timeoutMs,
      signal: work.interrupted,
    });
    // The time decides which bans are over: a run that goes on must have the one of the run before.
    if (nowMs === undefined) {
      isResumed = record !== undefined;
      nowMs = typeof record?.startedAt === 'number' ? record.startedAt : Date.now();
    }
    const outcomes = new Outcomes();
    const ledger = new RowLedger((row) => {
      outcomes.add(row);
      work.files.add(row);
    });
    work.files.restart();
    const progress = new Tracker(ledger, () => {
      work.onProgress(outcomes);
      if (outcomes.rows <= most) return;
      most = outcomes.rows;
      progressed();
    });
    const at = nowMs;
    const giveUp = new AbortController();
    const onInterrupted = () => {
      setTimeout(() => giveUp.abort(work.interrupted.reason), LAST_ANSWERS_MS).unref();
    };
    work.interrupted.addEventListener('abort', onInterrupted, { once: true });
    const summary = await streamLines({
      service: work.service,
      query: queryOf(work, importId),
      timeoutMs: work.timeoutMs,
      lines: (signal) => sendable(work, at, progress, signal),
      onResult: progress.settle,
      onPiece: progress.changed,
      isWaiting: () => ledger.awaited > 0,
      giveUp: giveUp.signal,
    });
    // Rows in = imported + skipped + conflicts + errors, and what the service counts.
    if (outcomes.rows !== ledger.rows || summary.lines !== ledger.answers) throw unanswered();
    return { importId, outcomes, written: ledger.written, isResumed };
  });
}

function queryOf({ options, isDryRun, total }: RowImport, importId: string): string {
  const { onConflict, hashingSecretId } = options;
  return new URLSearchParams({
    importId,
    onConflict,
    ...(hashingSecretId !== undefined && { hashingSecretId }),
    ...(isDryRun && { dryRun: 'true' }),
    ...(total !== undefined && { total: String(total) }),
  }).toString();
}

const unanswered = () =>
  new ServiceProblem('The answer of the service does not belong to what was sent.', { retry: 'seldom' });

/** Wakes who waits for answers. */
class Tracker {
  readonly ledger: RowLedger;
  readonly #onChange: () => void;
  #wake: (() => void) | undefined;

  constructor(ledger: RowLedger, onChange: () => void) {
    this.ledger = ledger;
    this.#onChange = onChange;
  }

  readonly settle = (result: Parameters<RowLedger['settle']>[0]): void => {
    try {
      this.ledger.settle(result);
    } catch (error) {
      throw error instanceof LedgerMismatch ? unanswered() : error;
    }
  };

  readonly changed = (): void => {
    this.#onChange();
    this.wake();
  };

  readonly wake = (): void => this.#wake?.();

  /** Resolves when `condition` holds: it is asked whenever something has changed, or `wake` is called. */
  async until(condition: () => boolean): Promise<void> {
    while (!condition()) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    this.#wake = undefined;
  }
}

/**
 * The text of the lines to send. After Ctrl-C it waits for the answers to what was sent, and throws.
 * @param over aborts when no more are wanted
 */
async function* sendable(work: RowImport, nowMs: number, progress: Tracker, over: AbortSignal) {
  const { interrupted, files } = work;
  const { ledger } = progress;
  const isOver = () => over.aborted || interrupted.aborted;
  over.addEventListener('abort', progress.wake);
  interrupted.addEventListener('abort', progress.wake, { signal: over });
  try {
    for await (const batch of work.convert(nowMs, AbortSignal.any([over, interrupted]))) {
      if (isOver()) break;
      let text = '';
      for (const row of batch) {
        text += row.result === 'import' ? `${row.line}\n` : '\n';
        // It may wait long, and its line is as long as all else.
        row.line = undefined;
        if (!files.needsOriginals) {
          row.original = undefined;
          row.user = undefined;
        }
        ledger.add(row);
      }
      progress.changed();
      if (text !== '') yield text;
      await progress.until(() => ledger.size < MAX_ROWS_ON_THEIR_WAY || isOver());
    }
  } catch (error) {
    // A conversion that was told to stop may say so.
    if (!isOver()) throw error;
  }
  if (!interrupted.aborted) return;
  const lastAnswers = AbortSignal.timeout(LAST_ANSWERS_MS);
  lastAnswers.addEventListener('abort', progress.wake);
  await progress.until(() => ledger.awaited === 0 || over.aborted || lastAnswers.aborted);
  throw interrupted.reason;
}
