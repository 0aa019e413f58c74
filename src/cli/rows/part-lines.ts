/** The service closes streams below 100 bytes a second, so blank lines are padded. */
const LEAST_BYTES_PER_MS = 0.2;
/** Maximum length of a blank line. Every service accepts lines of at least 1024 bytes. */
const MAX_BLANKS = 1000;

/** Import lines that wait to be sent, of one part of an import (--parallel). */
export class PartLines {
  readonly #pieces: string[] = [];
  #size = 0;
  #isClosed = false;

  /** Adds text of whole lines. */
  add(text: string): void {
    this.#pieces.push(text);
    this.#size += text.length;
  }

  get size(): number {
    return this.#size;
  }

  /** All lines were taken, and no more will be added. */
  get isEnd(): boolean {
    return this.#isClosed && this.#pieces.length === 0;
  }

  isReady(): boolean {
    return this.#pieces.length > 0;
  }

  /** Removes and returns text of whole lines. Must only be called if `isReady` returns true. */
  take(): string {
    const text = this.#pieces.shift() ?? '';
    this.#size -= text.length;
    return text;
  }

  close(): void {
    this.#isClosed = true;
  }
}

export async function* piecesOf(
  lines: PartLines,
  condition: Condition,
  over: AbortSignal,
): AsyncGenerator<string, undefined> {
  over.addEventListener('abort', condition.wake);
  let sentAtMs = performance.now();
  for (;;) {
    await condition.until(() => lines.isReady() || lines.isEnd || over.aborted);
    if (over.aborted || !lines.isReady()) return;
    const nowMs = performance.now();
    const text = withBlanks(lines.take(), nowMs - sentAtMs);
    sentAtMs = nowMs;
    // Less text waits now, so feedRows() may add lines again.
    condition.wake();
    yield text;
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
