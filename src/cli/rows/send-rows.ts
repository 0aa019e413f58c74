import { isJsonObject, type JsonObject } from '../../lib/json/json-object.ts';
import type { Verdict } from '../../sources/pipeline/verdict.ts';
import type { VerdictFiles } from '../files/verdict-files.ts';
import { disablesUsers, type ImportOptions } from '../options/import-options.ts';
import type { ServiceAddress } from '../options/service-options.ts';
import { ServiceProblem } from '../service-client/service-problem.ts';
import { streamLines } from '../service-client/stream-lines.ts';
import { RowLedger } from './row-ledger.ts';
import { VerdictCounts } from './verdict-counts.ts';

/**
 * Maximum number of rows that wait for answers. It suffices for some chunks in the service and the buffers in between.
 * A row takes about 300 bytes.
 */
const MAX_ROWS_ON_THEIR_WAY = 50_000;
/** Length in bytes up to which every service accepts lines, whatever its limit is. */
const LEAST_LINE_LIMIT = 1024;
const MAX_NAMED = 100;
/** Time to wait after Ctrl-C for the answers to rows that were sent. */
const LAST_ANSWERS_MS = 10_000;

export interface RowImport {
  service: ServiceAddress;
  importId: string;
  name: string;
  options: ImportOptions;
  isDryRun: boolean;
  total: number | undefined;
  /** Yields all rows of the files, in order, and the same ones in each call. */
  rows(signal: AbortSignal): AsyncIterable<readonly Verdict[]>;
  files: VerdictFiles | undefined;
  timeoutMs: number;
  /** Aborts on Ctrl-C. */
  interrupted: AbortSignal;
  onProgress(verdicts: VerdictCounts): void;
}

export interface ImportedRows {
  importId: string;
  verdicts: VerdictCounts;
  written: RowLedger['written'];
  /** Number of lines that were sent: imported users, and users to disable. */
  lines: number;
  /** Number of lines that the service refused. */
  refused: number;
  /** Undefined unless the import removes missing users. */
  missing: MissingUsers | undefined;
  /** Whether the import began before this run of the tool. */
  isResumed: boolean;
}

/** Counts of missing users: users of earlier imports whom no row names. */
interface MissingUsers {
  found: number;
  removed: number;
  kept: number;
  /** Error code that states why no missing user was removed. */
  refused?: string;
  /** External ids of the first missing users who were removed, and of those who stay. */
  named: MissingIds;
}

interface MissingIds {
  removed: string[];
  kept: string[];
}

/**
 * Sends all rows once, as one stream of lines.
 * @throws {ServiceProblem} if the service did not process all lines
 * @throws the reason of `interrupted`, once the rows that were sent are answered or some seconds have passed
 */
export async function sendRows(work: RowImport): Promise<Omit<ImportedRows, 'importId' | 'isResumed'>> {
  const { files, service, interrupted, timeoutMs } = work;
  const verdicts = new VerdictCounts();
  const named: MissingIds = { removed: [], kept: [] };
  files?.restart();
  const ledger = new RowLedger((row) => {
    verdicts.add(row);
    files?.add(row);
  });
  const giveUp = new AbortController();
  let lastAnswers: NodeJS.Timeout | undefined;
  const onInterrupted = () => {
    lastAnswers = setTimeout(() => giveUp.abort(interrupted.reason), LAST_ANSWERS_MS).unref();
  };
  interrupted.addEventListener('abort', onInterrupted);
  try {
    const summary = await streamLines({
      ...{ service, timeoutMs, giveUp: giveUp.signal, query: queryOf(work) },
      lines: (over) => linesOf(work, { ledger, over, onBatch: () => work.onProgress(verdicts) }),
      onResult(result) {
        if (!ledger.settle(result.line, result)) throw mismatchedAnswer();
      },
      onMissing({ status, externalUserId }) {
        const ids = status === 'REMOVED' ? named.removed : named.kept;
        if (ids.length < MAX_NAMED) ids.push(externalUserId);
      },
      onPiece: () => work.onProgress(verdicts),
      isWaiting: () => ledger.awaited > 0,
    });
    // The service's summary must count as many lines as it has answered, and every row must have one final verdict.
    if (summary.lines !== ledger.answers || verdicts.rows !== ledger.rows) throw mismatchedAnswer();
    const missing = isJsonObject(summary.missing) ? missingOf(summary.missing, named) : undefined;
    return { verdicts, written: ledger.written, missing, lines: ledger.answers, refused: ledger.refused };
  } finally {
    clearTimeout(lastAnswers);
    interrupted.removeEventListener('abort', onInterrupted);
  }
}

function missingOf(counts: JsonObject, named: MissingIds): MissingUsers {
  const [found = Number.NaN, removed = Number.NaN, kept = Number.NaN] = ['found', 'removed', 'kept'].map(
    (name) => Number(counts[name]),
  );
  if (![found, removed, kept].every(Number.isSafeInteger)) throw mismatchedAnswer();
  return {
    found,
    removed,
    kept,
    named,
    ...(typeof counts.refused === 'string' && { refused: counts.refused }),
  };
}

function queryOf({ options, isDryRun, total, importId, name }: RowImport): string {
  const given = { importId, name, ...options, dryRun: isDryRun || undefined, total };
  const texts = Object.entries(given)
    .filter(([, value]) => value !== undefined && value !== false)
    .map(([key, value]) => [key, String(value)]);
  return new URLSearchParams(Object.fromEntries(texts)).toString();
}

const mismatchedAnswer = () =>
  new ServiceProblem('The answer of the service does not belong to what was sent.', 'seldom');

interface Sending {
  ledger: RowLedger;
  /** Aborts when the stream has ended, successfully or not. */
  over: AbortSignal;
  onBatch(): void;
}

/**
 * Yields the import lines of all rows, as fast as the service answers. After Ctrl-C it waits for the answers to rows
 * that were sent, and throws the signal's reason.
 * @throws errors of the conversion
 */
export async function* linesOf(
  work: Pick<RowImport, 'rows' | 'interrupted' | 'files' | 'options'>,
  { ledger, over, onBatch }: Sending,
): AsyncGenerator<string, undefined> {
  const { interrupted } = work;
  const stop = AbortSignal.any([over, interrupted]);
  for (const signal of [over, stop]) signal.addEventListener('abort', ledger.wake);
  try {
    for await (const batch of work.rows(stop)) {
      if (stop.aborted) break;
      const lines = batch.map((row) => lineOf(row, work, ledger));
      onBatch();
      yield lines.join('');
      await ledger.until(() => ledger.size < MAX_ROWS_ON_THEIR_WAY || stop.aborted);
    }
  } catch (error) {
    // A conversion also throws if it was aborted.
    if (!stop.aborted) throw error;
  }
  if (!interrupted.aborted) return;
  await ledger.until(() => ledger.awaited === 0 || over.aborted);
  throw interrupted.reason;
}

/** Returns the line of a row. Rows that are not sent are blank lines, so that the numbers of lines are those of rows. */
function lineOf(
  row: Verdict,
  { files, options }: Pick<RowImport, 'files' | 'options'>,
  ledger: RowLedger,
): string {
  // With --delete-missing, users whom no line names are removed, so rows that are not imported must name their users,
  // too.
  const namesAll = options.deleteMissing !== undefined;
  // With --delete-missing, users whom the former system has deleted are removed as well, and not disabled.
  const isLeftOut = row.reason === 'DISABLED' || (row.reason === 'DELETED' && !namesAll);
  const disabling = isLeftOut && disablesUsers(options) ? disablingOf(row) : undefined;
  const line = row.result === 'import' ? row.line : disabling;
  const text = line ?? (namesAll ? mentionOf(row) : '');
  // The line is half of the row's memory, and the row may wait long for its answer. Only a long line is kept: if the
  // service refuses it as too long, the message names its largest member.
  if (line === undefined || line.length < LEAST_LINE_LIMIT) row.line = undefined;
  if (files?.needsOriginals !== true) {
    row.original = undefined;
    row.user = undefined;
  }
  ledger.add(row, line !== undefined);
  return `${text}\n`;
}

/**
 * Returns the primary login method of a row, or else the first. If the user has no external id or time, that of this
 * method counts.
 */
const primaryOf = ({ user }: Verdict): JsonObject | undefined => {
  const methods = (user?.loginMethods ?? []).filter(isJsonObject);
  return methods.find(({ isPrimary }) => isPrimary === true) ?? methods[0];
};

const externalIdOf = (row: Verdict): unknown => row.externalUserId ?? primaryOf(row)?.externalUserId;

/**
 * Returns the line that disables the user of a row which is left out as disabled or deleted. Its address and
 * time of joining show the service that the id is still that of the same person.
 */
function disablingOf(row: Verdict): string | undefined {
  const externalUserId = externalIdOf(row);
  if (externalUserId === undefined) return undefined;
  const first = primaryOf(row);
  const timeJoinedInMSSinceEpoch = row.user?.timeJoinedMs ?? first?.timeJoinedInMSSinceEpoch;
  return JSON.stringify({
    ...{ externalUserId, disabled: true, email: row.email ?? first?.email, timeJoinedInMSSinceEpoch },
  });
}

/**
 * Returns a line that only names the user of a row that is not imported, so that the user does not count as missing.
 * The line is blank if the former system has deleted the user, or if a skipped row has no id. Other rows without an id
 * are `{}`.
 */
function mentionOf(row: Verdict): string {
  const { result, reason } = row;
  if (reason === 'DELETED') return '';
  const externalUserId = externalIdOf(row);
  if (externalUserId !== undefined) return JSON.stringify({ externalUserId });
  return result === 'skip' ? '' : '{}';
}
