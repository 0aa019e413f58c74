import { skipSpaces } from './bytes.ts';

/**
 * Sliding window of a JSON file. Its bytes are contiguous, however the source divides the file into chunks.
 */
export interface ByteWindow {
  /** Bytes from `at` to `end` have not been processed yet. */
  bytes: Buffer;
  at: number;
  end: number;
  /** Offset of `bytes` in the JSON file. */
  base: number;
  /** The part of the last chunk of the file that did not fit into `bytes`. */
  rest: Buffer;
  readonly source: AsyncIterator<Buffer>;
  /** Error of reading the JSON file, thrown after all bytes before the error have been processed. */
  failure?: unknown;
}

/** Large enough to make the cost of an await negligible, and small enough for the processor's cache. */
const BLOCK_BYTES = 64 * 1024;

/** Small batches of JSON records help the garbage collector. */
export const BATCH_RECORDS = 128;

export function openWindow(chunks: AsyncIterable<Buffer>): ByteWindow {
  const source = chunks[Symbol.asyncIterator]();
  return { bytes: Buffer.alloc(0), at: 0, end: 0, base: 0, rest: Buffer.alloc(0), source };
}

export const offsetOf = (window: ByteWindow): number => window.base + window.at;

/**
 * Reads at least as many bytes of the JSON file as are held already, so that long values are not moved or
 * scanned again and again. The byte at `at` moves to index 0. Returns false at the end of the file.
 */
export async function fill(window: ByteWindow): Promise<boolean> {
  const held = window.end - window.at;
  const goal = held + Math.max(BLOCK_BYTES, held);
  makeRoom(window, goal);
  while (window.end < goal) {
    if (window.rest.length === 0) {
      const chunk = await nextChunk(window, window.end > held);
      if (chunk === undefined) break;
      window.rest = chunk;
    }
    const copied = window.rest.copy(window.bytes, window.end);
    window.end += copied;
    window.rest = window.rest.subarray(copied);
  }
  return window.end > held;
}

/** Like `fill`, but returns false if the JSON file cannot be read. A later `fill` throws the error. */
export async function tryFill(window: ByteWindow): Promise<boolean> {
  try {
    return await fill(window);
  } catch (error) {
    if (error === window.failure) return false;
    throw error;
  }
}

/** With `isLater`, an error is thrown only after the bytes of the JSON file before it have been processed. */
async function nextChunk(window: ByteWindow, isLater: boolean): Promise<Buffer | undefined> {
  if (window.failure !== undefined) throw window.failure;
  try {
    const { value, done } = await window.source.next();
    return done === true ? undefined : value;
  } catch (error) {
    window.failure = error;
    if (!isLater) throw error;
    return undefined;
  }
}

/** Moves unprocessed bytes to the front. A buffer that is too large, after a long JSON value, is replaced. */
function makeRoom(window: ByteWindow, size: number): void {
  const { bytes, at, end } = window;
  if (bytes.length >= size && bytes.length <= 4 * size) {
    bytes.copyWithin(0, at, end);
  } else {
    window.bytes = Buffer.allocUnsafeSlow(2 * size);
    bytes.copy(window.bytes, 0, at, end);
  }
  window.base += at;
  window.at = 0;
  window.end = end - at;
}

/** Skips spaces. Returns the next byte without consuming it, or undefined if it is not in memory yet. */
export function peek(window: ByteWindow): number | undefined {
  window.at = skipSpaces(window.bytes, window.at, window.end);
  return window.at < window.end ? window.bytes[window.at] : undefined;
}

/** Like `peek`, but reads more of the JSON file if necessary. Returns undefined at the end of the file. */
export async function peekOn(window: ByteWindow): Promise<number | undefined> {
  let byte = peek(window);
  while (byte === undefined && (await fill(window))) byte = peek(window);
  return byte;
}
