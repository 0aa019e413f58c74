import { partIdsOf, rowOf } from '../parts.ts';
import { ServiceProblem } from '../service/service-problem.ts';
import { streamLines } from '../service/stream-lines.ts';
import { Changes } from './changes.ts';
import { feedRows, LAST_ANSWERS_MS } from './feed-rows.ts';
import { Meetings } from './meetings.ts';
import { Outcomes } from './outcomes.ts';
import { LateLines, type PartLines, piecesOf, ReadyLines } from './part-lines.ts';
import type { ImportedRows, RowImport } from './row-import.ts';
import { LedgerMismatch, RowLedger } from './row-ledger.ts';

/**
 * Sends all rows once, in several parts at the same time.
 * A row that shares no user with an earlier row goes to a part by its number. Any other row goes to the last
 * part, which sends it after the earlier rows are answered. Each row therefore has the same outcome as in a
 * single part. A rollback starts with the last part, so that it undoes the changes to a user in reverse
 * order.
 * The first failure ends all parts, and all rows must be sent again.
 * @throws {RowsMeet} if two rows share a user in a dry run of several parts
 */
export async function sendRows(
  work: RowImport,
  importId: string,
  nowMs: number,
): Promise<Omit<ImportedRows, 'isResumed'>> {
  const { files, interrupted, parallel, isDryRun } = work;
  const ids = partIdsOf(importId, parallel);
  const outcomes = new Outcomes();
  const ledger = new RowLedger(ids.length, (row) => {
    outcomes.add(row);
    files.add(row);
  });
  files.restart();
  const changes = new Changes();
  const ready = Array.from({ length: parallel }, () => new ReadyLines());
  const late = new LateLines(ledger, parallel);
  const meetings = parallel > 1 ? new Meetings(work.tempDirectory) : undefined;
  const stop = new AbortController();
  let lastAnswers: NodeJS.Timeout | undefined;
  const onInterrupted = () => {
    lastAnswers = setTimeout(() => stop.abort(interrupted.reason), LAST_ANSWERS_MS).unref();
  };
  interrupted.addEventListener('abort', onInterrupted, { signal: stop.signal });
  const onChange = () => {
    work.onProgress(outcomes);
    changes.wake();
  };
  const feeding = feedRows(
    {
      ...{ ledger, changes, ready, isDryRun, interrupted, onBatch: onChange },
      meeting: meetings && { meetings, late },
      needsOriginals: files.needsOriginals,
      over: stop.signal,
    },
    work.convert(nowMs, AbortSignal.any([stop.signal, interrupted])),
  );
  const streams: Streams = { work, ledger, changes, onChange, giveUp: stop.signal };
  const sending = ids.map((id, part) => sendPart(streams, { id, part, lines: ready[part] ?? late }));
  await Promise.all([feeding, ...sending].map((one) => one.catch((error) => stop.abort(error))));
  clearTimeout(lastAnswers);
  meetings?.close();
  if (stop.signal.aborted) throw stop.signal.reason;
  stop.abort();
  // Every row must be counted once: as imported, skipped, conflict or error.
  if (outcomes.rows !== ledger.rows) throw unanswered();
  return { importId, outcomes, written: ledger.written };
}

interface Streams {
  work: RowImport;
  ledger: RowLedger;
  changes: Changes;
  onChange(): void;
  giveUp: AbortSignal;
}

interface Part {
  /** Id of the part's import in the service. */
  id: string;
  part: number;
  lines: PartLines;
}

/** Sends a part to its end. A part without lines is not begun, except the first. */
async function sendPart({ work, ledger, changes, onChange, giveUp }: Streams, { id, part, lines }: Part) {
  const { addresses, parallel, timeoutMs } = work;
  giveUp.addEventListener('abort', changes.wake);
  await changes.until(() => lines.isReady() || (lines.isClosed && lines.size === 0) || giveUp.aborted);
  if (giveUp.aborted || (part > 0 && !lines.isReady())) return;
  const summary = await addresses.ask(
    part,
    (service) =>
      streamLines({
        ...{ service, timeoutMs, giveUp },
        query: queryOf(work, id),
        lines: (over) => piecesOf(lines, changes, over),
        onResult(result) {
          try {
            ledger.settle(rowOf(result.line, part, parallel), part, result);
          } catch (error) {
            throw error instanceof LedgerMismatch ? unanswered() : error;
          }
        },
        onPiece: onChange,
        isWaiting: () => ledger.awaitedOf(part) > 0,
      }),
    ({ code }) => {
      // Another part failed first and ended this one.
      if (giveUp.aborted) return undefined;
      // This part timed out because it waits for the part with the first unanswered row. That part's address
      // is to blame.
      return code === 'REQUEST_TIMEOUT' ? (ledger.slowest ?? part) : part;
    },
  );
  // The service must have counted as many lines as it answered.
  if (summary.lines !== ledger.answersOf(part)) throw unanswered();
}

function queryOf({ options, isDryRun, total, parallel }: RowImport, importId: string): string {
  const { onConflict, hashingSecretId } = options;
  return new URLSearchParams({
    importId,
    onConflict,
    ...(hashingSecretId !== undefined && { hashingSecretId }),
    ...(isDryRun && { dryRun: 'true' }),
    // How many go to each of several parts is not known beforehand.
    ...(total !== undefined && parallel === 1 && { total: String(total) }),
  }).toString();
}

const unanswered = () =>
  new ServiceProblem('The answer of the service does not belong to what was sent.', { retry: 'seldom' });
