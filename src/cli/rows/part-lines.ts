import type { Changes } from './changes.ts';
import type { RowLedger } from './row-ledger.ts';

/** Most characters of a piece that is put together here. */
const PIECE_CHARACTERS = 64 * 1024;
/** A sender that says nothing for long is cut off by the service (`request_timeout_ms`), so one with nothing to send sends blank lines, in ms. */
const SIGN_OF_LIFE_MS = 5000;
/** The service ends a stream that has fewer than 100 bytes a second. Rows of other parts may come more slowly than that. */
const LEAST_BYTES_PER_MS = 0.2;
/** Longest blank line: no service takes fewer than 1024 bytes a line. */
const MAX_BLANKS = 1000;

/** What is to be sent of a part. */
export interface PartLines {
  /** Is there something to send now? */
  isReady(): boolean;
  /** Whole lines. Only when it is ready. */
  take(): string;
  /** There will be no more than there is. */
  close(): void;
  readonly isClosed: boolean;
  /** Characters that wait. */
  readonly size: number;
}

/** Lines that may be sent as they come. */
export class ReadyLines implements PartLines {
  readonly #pieces: string[] = [];
  #size = 0;
  isClosed = false;

  add(text: string): void {
    this.#pieces.push(text);
    this.#size += text.length;
  }

  get size(): number {
    return this.#size;
  }

  isReady(): boolean {
    return this.#pieces.length > 0;
  }

  take(): string {
    const text = this.#pieces.shift() ?? '';
    this.#size -= text.length;
    return text;
  }

  close(): void {
    this.isClosed = true;
  }
}

interface LateLine {
  row: number;
  line: string;
  /** Rows of other parts that must be answered before. */
  after: readonly number[];
}

/** Lines of rows that meet others: each is sent once those are answered, in the order of rows, with a blank line for every other row. */
export class LateLines implements PartLines {
  readonly #ledger: RowLedger;
  readonly #part: number;
  readonly #now: () => number;
  #queue: LateLine[] = [];
  #size = 0;
  /** The last row that was sent, or stood for by a blank line. */
  #sent = 0;
  #sentAtMs = 0;
  isClosed = false;

  constructor(ledger: RowLedger, part: number, now: () => number = () => performance.now()) {
    this.#ledger = ledger;
    this.#part = part;
    this.#now = now;
  }

  add(late: LateLine): void {
    this.#queue.push(late);
    this.#size += late.line.length;
  }

  get size(): number {
    return this.#size;
  }

  isReady(): boolean {
    return this.#isHeadReady() || this.#needsSignOfLife();
  }

  take(): string {
    let text = '';
    while (text.length < PIECE_CHARACTERS && this.#isHeadReady()) {
      const [head] = this.#queue;
      if (head === undefined) break;
      text += this.#blanksUpTo(head.row - 1);
      if (this.#sent < head.row - 1) break;
      this.#queue.shift();
      this.#size -= head.line.length;
      this.#ledger.expect(head.row, this.#part);
      this.#sent = head.row;
      text += `${head.line}\n`;
    }
    if (text === '') text = this.#blanksUpTo(this.#passed());
    this.#sentAtMs = this.#now();
    return text;
  }

  close(): void {
    this.isClosed = true;
  }

  #isHeadReady(): boolean {
    const [head] = this.#queue;
    return head?.after.every((row) => this.#ledger.isFinal(row)) ?? false;
  }

  #needsSignOfLife(): boolean {
    return (
      this.#sent > 0 &&
      !this.isClosed &&
      this.#passed() > this.#sent &&
      this.#now() - this.#sentAtMs >= SIGN_OF_LIFE_MS
    );
  }

  /** The last row that is known to be blank here. */
  #passed(): number {
    return (this.#queue[0]?.row ?? this.#ledger.rows + 1) - 1;
  }

  #blanksUpTo(row: number): string {
    const count = Math.min(row - this.#sent, PIECE_CHARACTERS);
    this.#sent += count;
    return '\n'.repeat(count);
  }
}

/** The lines in pieces, as they may be sent. @param over aborts when no more are wanted */
export async function* piecesOf(
  lines: PartLines,
  changes: Changes,
  over: AbortSignal,
): AsyncGenerator<string, undefined> {
  over.addEventListener('abort', changes.wake);
  const watch = setInterval(changes.wake, SIGN_OF_LIFE_MS);
  let sentAtMs = performance.now();
  try {
    for (;;) {
      const isEnd = () => over.aborted || (lines.isClosed && lines.size === 0);
      await changes.until(() => lines.isReady() || isEnd());
      if (over.aborted || !lines.isReady()) return;
      const nowMs = performance.now();
      const text = withBlanks(lines.take(), nowMs - sentAtMs);
      sentAtMs = nowMs;
      // Whoever fills it may wait for room.
      changes.wake();
      yield text;
    }
  } finally {
    clearInterval(watch);
  }
}

/** Returns the lines with blanks in the first one, where that is a blank line and the piece is short for the time since the last. */
export function withBlanks(text: string, elapsedMs: number): string {
  const missing = Math.min(Math.ceil(elapsedMs * LEAST_BYTES_PER_MS), MAX_BLANKS) - text.length;
  return missing > 0 && text.startsWith('\n') ? ' '.repeat(missing) + text : text;
}
