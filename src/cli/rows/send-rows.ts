import { isJsonObject, type JsonObject } from '../../lib/json/json-object.ts';
import type { Verdict } from '../../sources/pipeline/verdict.ts';
import type { VerdictFiles } from '../files/verdict-files.ts';
import { type ImportOptions, partIdsOf, rowOf } from '../import-id.ts';
import type { Addresses } from '../service-client/addresses.ts';
import { ServiceProblem } from '../service-client/service-problem.ts';
import { streamLines } from '../service-client/stream-lines.ts';
import { type Feed, feedRows } from './feed-rows.ts';
import { Condition, PartLines, piecesOf } from './part-lines.ts';
import { RowLedger, type Written } from './row-ledger.ts';
import { VerdictCounts } from './verdict-counts.ts';

const MAX_NAMED = 100;
/** Time to wait after Ctrl-C for the answers to rows that were sent. */
const LAST_ANSWERS_MS = 10_000;

/**
 * Sends all rows once, in several parts at the same time. The first failure ends all parts.
 *
 * Rows that share an identity with an earlier row are the last part, which is sent when the others are done. Each
 * row therefore has the same verdict as in a single part. A rollback starts with the last part, so that it undoes
 * the changes to a user in reverse order.
 */
export async function sendRows(work: RowImport): Promise<Omit<ImportedRows, 'importId' | 'isResumed'>> {
  const { files, importId, parallel } = work;
  const ids = partIdsOf(importId, parallel);
  const isLater = ({ sameIdentityAs }: Verdict) => parallel > 1 && sameIdentityAs !== undefined;
  const sent: Sent = {
    verdicts: new VerdictCounts(),
    written: { created: 0, updated: 0, disabled: 0 },
    missing: undefined,
    named: [],
  };
  files?.restart();
  const isFirst = (row: Verdict) => !isLater(row);
  const rows = await sendParts(work, { ids: ids.slice(0, parallel), sent, isOfParts: isFirst });
  const { verdicts, written } = sent;
  if (parallel > 1 && verdicts.rows < rows)
    await sendParts(work, { ids: ids.slice(parallel), sent, isOfParts: isLater });
  // Every row must have exactly one final verdict.
  if (verdicts.rows !== rows) throw mismatchedAnswer();
  return { verdicts, written, missing: missingOf(sent.missing, sent.named) };
}

interface Sent {
  verdicts: VerdictCounts;
  written: Written;
  /** Counts of missing users, as the service states them. */
  missing: JsonObject | undefined;
  named: string[];
}

interface Parts extends Pick<Feed, 'isOfParts'> {
  /** Ids of the imports that the parts are to the service. */
  ids: readonly string[];
  /** Receives the results. */
  sent: Sent;
}

/** Returns the number of all rows, also of those that other parts send. */
async function sendParts(work: RowImport, { ids, sent, isOfParts }: Parts): Promise<number> {
  const { files, interrupted, addresses, timeoutMs } = work;
  const ledger = new RowLedger(ids.length, sent.written, (row) => {
    sent.verdicts.add(row);
    files?.add(row);
  });
  const condition = new Condition();
  const parts = ids.map(() => new PartLines());
  const stop = new AbortController();
  const giveUp = stop.signal;
  giveUp.addEventListener('abort', condition.wake);
  let lastAnswers: NodeJS.Timeout | undefined;
  const onInterrupted = () => {
    lastAnswers = setTimeout(() => stop.abort(interrupted.reason), LAST_ANSWERS_MS).unref();
  };
  interrupted.addEventListener('abort', onInterrupted, { signal: giveUp });
  const onChange = () => {
    work.onProgress(sent.verdicts);
    condition.wake();
  };
  const feeding = feedRows(
    {
      ...{ ledger, condition, parts, isOfParts, interrupted, onBatch: onChange, over: giveUp },
      needsOriginals: files?.needsOriginals ?? false,
      mentionsAll: work.options.deleteMissing !== undefined,
      disables: disablesUsers(work.options),
    },
    work.rows(AbortSignal.any([giveUp, interrupted])),
  );

  /** Sends a part, which to the service is an import of its own. A part without lines is not begun, except the first. */
  async function sendPart(lines: PartLines, part: number): Promise<void> {
    await condition.until(() => lines.isReady() || lines.isEnd || giveUp.aborted);
    if (giveUp.aborted || (part > 0 && !lines.isReady())) return;
    const summary = await addresses.ask(
      part,
      (service) =>
        streamLines({
          ...{ service, timeoutMs, giveUp },
          query: queryOf(work, ids[part] ?? ''),
          lines: (over) => piecesOf(lines, condition, over),
          onResult(result) {
            if (!ledger.settle(rowOf(result.line, part, ids.length), part, result)) throw mismatchedAnswer();
          },
          onMissing({ status, externalUserId }) {
            if (status === 'REMOVED' && sent.named.length < MAX_NAMED) sent.named.push(externalUserId);
          },
          onPiece: onChange,
          isWaiting: () => ledger.awaitedOf(part) > 0,
        }),
      ({ code }) => {
        // This part ended because another part has failed, so the address of this part is not to blame.
        if (giveUp.aborted) return undefined;
        // This part waited for the part that has the first unanswered row, whose address is to blame.
        return code === 'REQUEST_TIMEOUT' ? (ledger.slowest ?? part) : part;
      },
    );
    // The service's summary must count as many lines as it has answered.
    if (summary.lines !== ledger.answersOf(part)) throw mismatchedAnswer();
    if (isJsonObject(summary.missing)) sent.missing = summary.missing;
  }

  const sending = parts.map((lines, part) => sendPart(lines, part));
  await Promise.all([feeding, ...sending].map((one) => one.catch((error) => stop.abort(error))));
  clearTimeout(lastAnswers);
  if (giveUp.aborted) throw giveUp.reason;
  stop.abort();
  return ledger.rows;
}

function missingOf(counts: JsonObject | undefined, named: readonly string[]): MissingUsers | undefined {
  if (counts === undefined) return undefined;
  const [found, removed, kept] = [counts.found, counts.removed, counts.kept].map(Number);
  if (![found, removed, kept].every(Number.isSafeInteger)) throw mismatchedAnswer();
  return {
    ...{ found: found as number, removed: removed as number, kept: kept as number, named },
    ...(typeof counts.refused === 'string' && { refused: counts.refused }),
  };
}

function queryOf({ options, isDryRun, total, parallel }: RowImport, importId: string): string {
  const { onConflict, hashingSecretId, matchBy, source, trustExternalIds, deleteMissing } = options;
  return new URLSearchParams({
    importId,
    onConflict,
    ...(hashingSecretId !== undefined && { hashingSecretId }),
    ...(matchBy !== undefined && { matchBy }),
    ...(source !== undefined && { source }),
    ...(trustExternalIds === true && { trustExternalIds: 'true' }),
    ...(deleteMissing !== undefined && { deleteMissing: String(deleteMissing) }),
    ...(isDryRun && { dryRun: 'true' }),
    // The number of lines of a part is not known beforehand if there are several parts.
    ...(total !== undefined && parallel === 1 && { total: String(total) }),
  }).toString();
}

const mismatchedAnswer = () =>
  new ServiceProblem('The answer of the service does not belong to what was sent.', { retry: 'seldom' });

export interface RowImport {
  addresses: Addresses;
  importId: string;
  parallel: number;
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
  /** Undefined unless the import removes missing users. */
  missing: MissingUsers | undefined;
  /** Whether the import began before this run of the tool. */
  isResumed: boolean;
}

/** Returns whether rows that are left out as disabled disable the users whom an earlier import created. */
export const disablesUsers = ({ matchBy, onConflict }: Pick<ImportOptions, 'matchBy' | 'onConflict'>) =>
  matchBy !== undefined && onConflict !== 'skip' && onConflict !== 'fail';
