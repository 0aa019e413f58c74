import { isJsonObject, type JsonObject } from '../../lib/json/json-object.ts';
import type { Verdict } from '../../sources/pipeline/verdict.ts';
import type { RowLedger } from './row-ledger.ts';

/** Suffices for some chunks in the service and the buffers in between. A row takes about 300 bytes. */
const MAX_ROWS_ON_THEIR_WAY = 50_000;
/** The service closes streams below 100 bytes a second, so blank lines are padded. */
const LEAST_BYTES_PER_MS = 0.2;
/** Every service accepts lines of this length in bytes. */
const LEAST_LINE_LIMIT = 1024;
/** Maximum length of a blank line. */
const MAX_BLANKS = 1000;

export interface RowLines {
  ledger: RowLedger;
  /** Wake it after each answer. */
  condition: Condition;
  rows(signal: AbortSignal): AsyncIterable<readonly Verdict[]>;
  /** Whether rows keep their original records of the export, because the file of --rejects shows them. */
  needsOriginals: boolean;
  /** Whether rows that are not imported name their users, who are then not missing (--delete-missing). */
  mentionsAll: boolean;
  /** Whether rows that are left out as disabled disable the users whom an earlier import created. */
  disables: boolean;
  onBatch(): void;
  /** Aborts on Ctrl-C. */
  interrupted: AbortSignal;
}

/**
 * Yields the import lines of all rows, as fast as the service answers. After Ctrl-C it waits for the answers to rows
 * that were sent, and throws the signal's reason.
 * @param over aborts when the stream has ended, successfully or not
 * @throws errors of the conversion
 */
export async function* linesOf(work: RowLines, over: AbortSignal): AsyncGenerator<string, undefined> {
  const { ledger, condition, interrupted } = work;
  const isOver = () => over.aborted || interrupted.aborted;
  over.addEventListener('abort', condition.wake);
  interrupted.addEventListener('abort', condition.wake, { signal: over });
  let sentAtMs = performance.now();
  try {
    for await (const batch of work.rows(AbortSignal.any([over, interrupted]))) {
      if (isOver()) break;
      const text = textOf(work, batch);
      work.onBatch();
      const nowMs = performance.now();
      yield withBlanks(text, nowMs - sentAtMs);
      sentAtMs = nowMs;
      await condition.until(() => ledger.size < MAX_ROWS_ON_THEIR_WAY || isOver());
    }
  } catch (error) {
    // A conversion also throws if it was aborted.
    if (!isOver()) throw error;
  }
  if (!interrupted.aborted) return;
  await condition.until(() => ledger.awaited === 0 || over.aborted);
  throw interrupted.reason;
}

/** Pads a blank first line with spaces, to keep up the minimum rate of the stream. */
export function withBlanks(text: string, elapsedMs: number): string {
  const missing = Math.min(Math.ceil(elapsedMs * LEAST_BYTES_PER_MS), MAX_BLANKS) - text.length;
  return missing > 0 && text.startsWith('\n') ? ' '.repeat(missing) + text : text;
}

/** Returns a line for each row. Rows that are not sent are blank lines, so that the numbers of lines are those of rows. */
function textOf(
  { ledger, needsOriginals, mentionsAll, disables }: RowLines,
  batch: readonly Verdict[],
): string {
  let text = '';
  for (const row of batch) {
    // With --delete-missing, users whom the former system has deleted are removed, and not disabled.
    const isLeftOut = row.reason === 'DISABLED' || (row.reason === 'DELETED' && !mentionsAll);
    const disabling = disables && isLeftOut ? disablingOf(row) : undefined;
    const line = row.result === 'import' ? row.line : disabling;
    text += line === undefined ? (mentionsAll ? mentionOf(row) : '\n') : `${line}\n`;
    // The line is half of the row's memory, and the row may wait long for its answer. The answer to a long line may be
    // that it is too long, which the largest member explains.
    if (line === undefined || line.length < LEAST_LINE_LIMIT) row.line = undefined;
    if (!needsOriginals) {
      row.original = undefined;
      row.user = undefined;
    }
    ledger.add(row, line !== undefined);
  }
  return text;
}

/** Returns the login method of a row whose external id and time are those of the user, if the user has none. */
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
  const { email, user } = row;
  const externalUserId = externalIdOf(row);
  if (externalUserId === undefined) return undefined;
  const first = primaryOf(row);
  return JSON.stringify({
    ...{ externalUserId, disabled: true, email: email ?? first?.email },
    timeJoinedInMSSinceEpoch: user?.timeJoinedMs ?? first?.timeJoinedInMSSinceEpoch,
  });
}

/**
 * Names the user of a row that is not imported, so that the user is not missing. The line is blank if the
 * former system has deleted the user, and names nobody if the row cannot be read.
 */
function mentionOf(row: Verdict): string {
  const { result, reason } = row;
  if (reason === 'DELETED') return '\n';
  const externalUserId = externalIdOf(row);
  if (externalUserId !== undefined) return `${JSON.stringify({ externalUserId })}\n`;
  return result === 'skip' ? '\n' : '{}\n';
}

/** Lets asynchronous functions wait until a condition holds. They check it whenever `wake` is called. */
export class Condition {
  readonly #waiting = new Set<() => void>();

  readonly wake = (): void => {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const resolve of waiting) resolve();
  };

  async until(predicate: () => boolean): Promise<void> {
    while (!predicate()) {
      await new Promise<void>((resolve) => {
        this.#waiting.add(resolve);
      });
    }
  }
}
