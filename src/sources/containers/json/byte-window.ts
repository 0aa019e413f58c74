import { skipSpaces } from './bytes.ts';

/**
 * Bytes of a JSON file that are in memory (a sliding window). They are contiguous, however the source divides
 * the file into chunks.
 */
export interface ByteWindow {
  /** Bytes of the file. Those from `at` to `end` have not been processed yet. */
  bytes: Buffer;
  at: number;
  end: number;
  /** Offset of `bytes` in the JSON file. */
  base: number;
  /** The part of the last chunk of the file that did not fit into `bytes`. */
  rest: Buffer;
  readonly source: AsyncIterator<Buffer>;
  /** Error of reading the JSON file. It is thrown after all bytes before the error have been processed. */
  failure?: unknown;
}

/**
 * Number of bytes to read at once: large enough to make the cost of an await negligible, and small enough for
 * the processor's cache.
 */
const BLOCK_BYTES = 64 * 1024;

/** Number of JSON records in a batch. Small batches help the garbage collector. */
export const BATCH_RECORDS = 128;

export function openWindow(chunks: AsyncIterable<Buffer>): ByteWindow {
  const source = chunks[Symbol.asyncIterator]();
  return { bytes: Buffer.alloc(0), at: 0, end: 0, base: 0, rest: Buffer.alloc(0), source };
}

/** Returns the offset in the JSON file of the first byte that is not processed yet. */
export const offsetOf = (window: ByteWindow): number => window.base + window.at;

/**
 * Reads more bytes of the JSON file: at least as many as are held already, so that long values are not moved
 * or scanned again and again. Indexes change: the byte at `at` moves to index 0.
 * @returns false at the end of the file
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

/**
 * Does what `fill` does, but returns false if the file cannot be read. The error is thrown by a later `fill`.
 */
export async function tryFill(window: ByteWindow): Promise<boolean> {
  try {
    return await fill(window);
  } catch (error) {
    if (error === window.failure) return false;
    throw error;
  }
}

/**
 * Reads the next chunk of the JSON file.
 * @param isLater whether bytes that were read before must be processed before an error is thrown
 */
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

/**
 * Moves the bytes that are not processed yet to the front of a buffer of suitable size. A buffer that is too
 * large, because of an earlier long value, is replaced.
 */
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

/**
 * Skips spaces and returns the next byte of the JSON file without consuming it. Returns undefined if no more
 * bytes are in memory.
 */
export function peek(window: ByteWindow): number | undefined {
  window.at = skipSpaces(window.bytes, window.at, window.end);
  return window.at < window.end ? window.bytes[window.at] : undefined;
}

/**
 * Skips spaces and returns the next byte of the JSON file without consuming it, like `peek`, but reads more
 * of the file if necessary.
 * @returns undefined at the end of the file
 */
export async function peekOn(window: ByteWindow): Promise<number | undefined> {
  let byte = peek(window);
  while (byte === undefined && (await fill(window))) byte = peek(window);
  return byte;
}
