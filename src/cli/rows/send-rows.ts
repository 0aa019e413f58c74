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
 * Sends all rows once, in as many parts at once as is said. Rows that meet none before them go to a part by their number. Those that
 * do go to a part of their own, in order, and after the rows that they meet: so each row comes to what it would in one part, and what was
 * written of a user is undone in the right order by undoing that part first. Who fails first ends all: then all are to be sent again.
 * @throws {RowsMeet} where rows meet in a dry run of several parts
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
  // Rows in = imported + skipped + conflicts + errors.
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
  /** The import of the service that it is. */
  id: string;
  part: number;
  lines: PartLines;
}

/** Sends a part to its end. One that has no lines is not begun, but for the first. */
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
      // Another one has failed before.
      if (giveUp.aborted) return undefined;
      // It hears nothing of us, as all wait for another.
      return code === 'REQUEST_TIMEOUT' ? (ledger.slowest ?? part) : part;
    },
  );
  // What the service counts.
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
