import { skipSpaces } from './bytes.ts';

/** What is being looked at of a file: one piece of memory, however the bytes came. */
export interface ByteWindow {
  /** Those from `at` to `end` have not been dealt with yet. */
  bytes: Buffer;
  at: number;
  end: number;
  /** Where in the file `bytes` begins. */
  base: number;
  /** What there was no room for of the last chunk. */
  rest: Buffer;
  readonly source: AsyncIterator<Buffer>;
  /** Thrown once all that came before it has been dealt with. */
  failure?: unknown;
}

/** Enough that an await for each costs nothing, and little enough that all of it stays in the cache of the processor. */
const BLOCK_BYTES = 64 * 1024;

/** Records of a batch. Few, for the garbage collector: see the windows of SQL files. */
export const BATCH_RECORDS = 128;

export function openWindow(chunks: AsyncIterable<Buffer>): ByteWindow {
  const source = chunks[Symbol.asyncIterator]();
  return { bytes: Buffer.alloc(0), at: 0, end: 0, base: 0, rest: Buffer.alloc(0), source };
}

/** Where in the file the next byte stands that has not been dealt with. */
export const offsetOf = (window: ByteWindow): number => window.base + window.at;

/**
 * Reads on. It brings as many bytes as are held already, so that something long is not moved or looked at again and again.
 * Positions move: what was at `at` is at 0 then.
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

/** Like `fill`, but what the source throws is kept for later too. */
export async function tryFill(window: ByteWindow): Promise<boolean> {
  try {
    return await fill(window);
  } catch (error) {
    if (error === window.failure) return false;
    throw error;
  }
}

/** @param isLater bytes have come that shall be dealt with before what the source throws */
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

/** Moves what is held to the front of a buffer of the right size: one that something long has left behind is given back. */
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

/** The next byte that is no space, where the window has it. It is not taken: it stands at `window.at`. */
export function peek(window: ByteWindow): number | undefined {
  window.at = skipSpaces(window.bytes, window.at, window.end);
  return window.at < window.end ? window.bytes[window.at] : undefined;
}

/** Like `peek`, where the window may have to read on. @returns undefined at the end of the file */
export async function peekOn(window: ByteWindow): Promise<number | undefined> {
  let byte = peek(window);
  while (byte === undefined && (await fill(window))) byte = peek(window);
  return byte;
}
