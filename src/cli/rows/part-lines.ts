import type { RowLedger } from './row-ledger.ts';

const PIECE_CHARACTERS = 64 * 1024;
/** The service closes a silent stream (`request_timeout_ms`), so a part without lines sends blank lines. */
const SIGN_OF_LIFE_MS = 5000;
/** The service closes streams below 100 bytes a second, so blank lines are padded. */
const LEAST_BYTES_PER_MS = 0.2;
/** Maximum length of a blank line. Every service accepts lines of at least 1024 bytes. */
const MAX_BLANKS = 1000;

/** Import lines that wait to be sent, of one part of an import (--parallel). */
export interface PartLines {
  isReady(): boolean;
  /** Removes and returns text of whole lines. Must only be called if `isReady` returns true. */
  take(): string;
  close(): void;
  readonly isClosed: boolean;
  readonly size: number;
}

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

interface DeferredLine {
  row: number;
  line: string;
  /** Rows of the same user in other parts. The service must answer them before this line is sent. */
  after: readonly number[];
}

/**
 * Lines of rows that share a user with an earlier row. Each is sent after the earlier rows are answered.
 * Every other row is represented by a blank line.
 */
export class DeferredLines implements PartLines {
  readonly #ledger: RowLedger;
  readonly #part: number;
  readonly #now: () => number;
  #queue: DeferredLine[] = [];
  #size = 0;
  /** Number of the last row that this part has sent, either as its line or as a blank line. */
  #sent = 0;
  #sentAtMs = 0;
  isClosed = false;

  constructor(ledger: RowLedger, part: number, now: () => number = () => performance.now()) {
    this.#ledger = ledger;
    this.#part = part;
    this.#now = now;
  }

  add(deferred: DeferredLine): void {
    this.#queue.push(deferred);
    this.#size += deferred.line.length;
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

  /** Returns the last row up to which this part has only blank lines to send. */
  #passed(): number {
    return (this.#queue[0]?.row ?? this.#ledger.rows + 1) - 1;
  }

  #blanksUpTo(row: number): string {
    const count = Math.min(row - this.#sent, PIECE_CHARACTERS);
    this.#sent += count;
    return '\n'.repeat(count);
  }
}

export async function* piecesOf(
  lines: PartLines,
  condition: Condition,
  over: AbortSignal,
): AsyncGenerator<string, undefined> {
  over.addEventListener('abort', condition.wake);
  const watch = setInterval(condition.wake, SIGN_OF_LIFE_MS);
  let sentAtMs = performance.now();
  try {
    for (;;) {
      const isEnd = () => over.aborted || (lines.isClosed && lines.size === 0);
      await condition.until(() => lines.isReady() || isEnd());
      if (over.aborted || !lines.isReady()) return;
      const nowMs = performance.now();
      const text = withBlanks(lines.take(), nowMs - sentAtMs);
      sentAtMs = nowMs;
      // Less text waits now, so feedRows() may add lines again.
      condition.wake();
      yield text;
    }
  } finally {
    clearInterval(watch);
  }
}

/** Pads a blank first line with spaces, to keep up the minimum rate of the stream. */
export function withBlanks(text: string, elapsedMs: number): string {
  const missing = Math.min(Math.ceil(elapsedMs * LEAST_BYTES_PER_MS), MAX_BLANKS) - text.length;
  return missing > 0 && text.startsWith('\n') ? ' '.repeat(missing) + text : text;
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
