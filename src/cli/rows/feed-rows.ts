import type { Verdict } from '../../sources/pipeline/verdict.ts';
import { partOf } from '../parts.ts';
import type { Changes } from './changes.ts';
import type { Meetings } from './meetings.ts';
import type { LateLines, PartLines, ReadyLines } from './part-lines.ts';
import type { RowLedger } from './row-ledger.ts';

/** Most rows on their way: some chunks of the service, and what the buffers between hold. They take some 300 bytes each. */
const MAX_ROWS_ON_THEIR_WAY = 50_000;
/** Most characters that wait to be sent, for each part, over all parts. */
const MAX_CHARACTERS = 256 * 1024;
/** After Ctrl-C: how long to wait for what was sent, in ms. */
export const LAST_ANSWERS_MS = 10_000;

/** A dry run sees what its own lines before would have written, and nothing of other parts. */
export class RowsMeet extends Error {}

/** Where rows go. */
export interface Feed {
  ledger: RowLedger;
  changes: Changes;
  /** By part. */
  ready: readonly ReadyLines[];
  /** For rows that meet others; undefined: all go to one part, where they come one after another. */
  meeting: { meetings: Meetings; late: LateLines } | undefined;
  isDryRun: boolean;
  /** Are the rows themselves needed when it is known what became of them? */
  needsOriginals: boolean;
  onBatch(): void;
  /** Aborted by Ctrl-C. */
  interrupted: AbortSignal;
  /** Aborts when no more are wanted. */
  over: AbortSignal;
}

/**
 * Deals the rows out to the parts, as fast as they are answered. After Ctrl-C it waits for the answers to what was sent, and throws.
 * @throws {RowsMeet} where rows meet in a dry run of several parts
 * @throws what the conversion throws
 */
export async function feedRows(feed: Feed, batches: AsyncIterable<readonly Verdict[]>): Promise<void> {
  const { ledger, changes, ready, meeting, interrupted, over } = feed;
  const isOver = () => over.aborted || interrupted.aborted;
  over.addEventListener('abort', changes.wake);
  interrupted.addEventListener('abort', changes.wake, { signal: over });
  const all: readonly PartLines[] = meeting === undefined ? ready : [...ready, meeting.late];
  const hasRoom = () =>
    ledger.size < MAX_ROWS_ON_THEIR_WAY &&
    all.reduce((sum, { size }) => sum + size, 0) < MAX_CHARACTERS * all.length;
  try {
    for await (const batch of batches) {
      if (isOver()) break;
      deal(feed, batch);
      feed.onBatch();
      changes.wake();
      await changes.until(() => hasRoom() || isOver());
    }
  } catch (error) {
    // A conversion that was told to stop may say so.
    if (!isOver() || error instanceof RowsMeet) throw error;
  }
  if (!interrupted.aborted) {
    for (const lines of all) lines.close();
    changes.wake();
    return;
  }
  const lastAnswers = AbortSignal.timeout(LAST_ANSWERS_MS);
  lastAnswers.addEventListener('abort', changes.wake);
  await changes.until(() => ledger.awaited === 0 || over.aborted || lastAnswers.aborted);
  throw interrupted.reason;
}

function deal({ ledger, ready, meeting, isDryRun, needsOriginals }: Feed, batch: readonly Verdict[]): void {
  const texts = ready.map(() => '');
  for (const row of batch) {
    const { line, parsed } = row;
    // It may wait long, and its line is as long as all else.
    row.line = undefined;
    row.parsed = undefined;
    if (!needsOriginals) {
      row.original = undefined;
      row.user = undefined;
    }
    const number = ledger.add(row);
    const part = partOf(number, ready.length);
    // Rows that are not sent are blank lines: so the number of a line tells its row.
    let text = '\n';
    if (row.result === 'import' && line !== undefined) {
      const after = parsed && meeting?.meetings.add(parsed, number);
      if (after !== undefined && isDryRun) throw new RowsMeet();
      if (after === undefined) {
        text = `${line}\n`;
        ledger.expect(number, part);
      } else meeting?.late.add({ row: number, line, after });
    }
    texts[part] += text;
  }
  for (const [part, text] of texts.entries()) if (text !== '') ready[part]?.add(text);
}
