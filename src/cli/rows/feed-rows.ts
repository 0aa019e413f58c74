import { isJsonObject, type JsonObject } from '../../lib/json/json-object.ts';
import type { Verdict } from '../../sources/pipeline/verdict.ts';
import { partOf } from '../import-id.ts';
import type { Condition, PartLines } from './part-lines.ts';
import type { RowLedger } from './row-ledger.ts';

/** Suffices for some chunks in the service and the buffers in between. A row takes about 300 bytes. */
const MAX_ROWS_ON_THEIR_WAY = 50_000;
/** Maximum number of unsent characters for each part. The limit applies to the sum over all parts. */
const MAX_CHARACTERS = 256 * 1024;

export interface Feed {
  ledger: RowLedger;
  condition: Condition;
  parts: readonly PartLines[];
  /** Whether these parts send the row. If not, it is a blank line, and no row of the ledger. */
  isOfParts(row: Verdict): boolean;
  /** Whether rows keep their original records of the export, because the file of --rejects shows them. */
  needsOriginals: boolean;
  /** Whether rows that are not imported name their users, who are then not missing (--delete-missing). */
  mentionsAll: boolean;
  /** Whether rows that are left out as disabled disable the users whom an earlier import created. */
  disables: boolean;
  onBatch(): void;
  /** Aborts on Ctrl-C. */
  interrupted: AbortSignal;
  /** Aborts when sending has ended, successfully or not. */
  over: AbortSignal;
}

/**
 * Distributes rows to the parts as fast as the service answers. After Ctrl-C it waits for the answers to rows
 * that were sent, and throws the signal's reason.
 * @throws errors of the conversion
 */
export async function feedRows(feed: Feed, batches: AsyncIterable<readonly Verdict[]>): Promise<void> {
  const { ledger, condition, parts, interrupted, over } = feed;
  const isOver = () => over.aborted || interrupted.aborted;
  over.addEventListener('abort', condition.wake);
  interrupted.addEventListener('abort', condition.wake, { signal: over });
  const hasRoom = () =>
    ledger.size < MAX_ROWS_ON_THEIR_WAY &&
    parts.reduce((sum, { size }) => sum + size, 0) < MAX_CHARACTERS * parts.length;
  try {
    for await (const batch of batches) {
      if (isOver()) break;
      distribute(feed, batch);
      feed.onBatch();
      condition.wake();
      await condition.until(() => hasRoom() || isOver());
    }
  } catch (error) {
    // A conversion also throws if it was aborted, because the import is over or was interrupted.
    if (!isOver()) throw error;
  }
  if (!interrupted.aborted) {
    for (const lines of parts) lines.close();
    condition.wake();
    return;
  }
  await condition.until(() => ledger.awaited === 0 || over.aborted);
  throw interrupted.reason;
}

function distribute(
  { ledger, parts, isOfParts, needsOriginals, mentionsAll, disables }: Feed,
  batch: readonly Verdict[],
): void {
  const texts = parts.map(() => '');
  for (const row of batch) {
    if (!isOfParts(row)) {
      texts[partOf(ledger.add(undefined, false), parts.length)] += '\n';
      continue;
    }
    // With --delete-missing, users whom the former system has deleted are removed, and not disabled.
    const isLeftOut = row.reason === 'DISABLED' || (row.reason === 'DELETED' && !mentionsAll);
    const disabling = disables && isLeftOut ? disablingOf(row) : undefined;
    const line = disabling ?? row.line;
    // Rows that are not sent become blank lines, so that line numbers of the stream identify rows.
    let text = mentionsAll ? mentionOf(row) : '\n';
    // The line is half of the row's memory, and the row may wait long for its answer.
    row.line = undefined;
    if (!needsOriginals) {
      row.original = undefined;
      row.user = undefined;
    }
    const isSent = row.result === 'import' || disabling !== undefined;
    const number = ledger.add(row, isSent);
    const part = partOf(number, parts.length);
    if (isSent && line !== undefined) {
      text = `${line}\n`;
      ledger.expect(number, part);
    }
    texts[part] += text;
  }
  for (const [part, text] of texts.entries()) if (text !== '') parts[part]?.add(text);
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
