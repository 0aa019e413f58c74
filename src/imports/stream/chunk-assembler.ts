import { setImmediate as eventLoopTurn } from 'node:timers/promises';
import { within } from '../../lib/async/within.ts';
import { BufferPool } from '../../lib/buffers/buffer-pool.ts';
import type { BulkPace } from '../bulk-pace.ts';
import { cutBlock, type LineBlock, type LineRoom, LineSplitter } from '../input/line-splitter.ts';
import { LineChunk, LineChunkBuffers } from './line-chunk.ts';
import type { OptimisticChunk } from './optimistic-chunk.ts';

export interface ChunkLimits {
  /** Blank lines do not count. */
  maxLines: number;
  maxBytes: number;
  /** Milliseconds without further lines after which a chunk is processed although it is not full. */
  idleMs: number;
  /** Milliseconds after which a chunk is processed although it is not full. */
  maxAgeMs: number;
}

/**
 * A chunk may have this many times more blank lines: they cost little, and each transaction has a fixed cost.
 */
const BLANKS_A_LINE = 32;

/**
 * Number of lines in a chunk while HTTP calls arrive. The database writes them in about the time of the
 * statements of one call.
 */
const SHORT_CHUNK_LINES = 300;

/**
 * Number of lines after which the event loop gets its turn while HTTP calls arrive. They take about half a
 * millisecond.
 */
const TURN: LineRoom = { lines: 2000, filled: 64 };
const NO_LIMIT: LineRoom = { lines: Number.POSITIVE_INFINITY, filled: Number.POSITIVE_INFINITY };

export interface AssemblerOptions {
  maxLineBytes: number;
  limits: ChunkLimits;
  pace?: Pick<BulkPace, 'isHeldBack'>;
  /** Line number at which a new chunk must begin: the first line that earlier runs have not processed. */
  boundary: number;
  /** Returns undefined if the lines are likely to have existing users. */
  openOptimistic(firstLine: number): OptimisticChunk | undefined;
}

/**
 * Chunks are large while lines arrive fast. They are small while lines arrive slowly, because the client may
 * wait for results before it sends more lines.
 */
export async function* assembleChunks(
  body: AsyncIterable<Buffer>,
  options: AssemblerOptions,
): AsyncGenerator<LineChunk> {
  const { limits, maxLineBytes } = options;
  const splitter = new LineSplitter(maxLineBytes);
  const assembler = new ChunkAssembler(options);
  const iterator = body[Symbol.asyncIterator]();
  try {
    let next = iterator.next();
    for (;;) {
      const result = assembler.isAwaited ? await within(limits.idleMs, next) : await next;
      if (result === undefined) {
        yield* assembler.take();
        continue;
      }
      if (result.done) break;
      next = iterator.next();
      // `next` is awaited in a later iteration. Until then, a rejection must not crash the process.
      next.catch(() => {});
      for (const block of splitter.push(result.value)) {
        for (let rest: LineBlock | undefined = block; rest !== undefined; ) {
          const isHeldBack: boolean = options.pace?.isHeldBack === true;
          const room = isHeldBack ? TURN : NO_LIMIT;
          const [head, others]: [LineBlock, LineBlock | undefined] = cutBlock(rest, room);
          yield* assembler.add(head);
          rest = others;
          if (isHeldBack) await eventLoopTurn();
        }
      }
      if (assembler.isAwaited && assembler.ageMs >= limits.maxAgeMs) yield* assembler.take();
    }
    for (const block of splitter.end()) yield* assembler.add(block);
    yield* assembler.take();
  } finally {
    await iterator.return?.();
  }
}

class ChunkAssembler {
  readonly #options: AssemblerOptions;
  readonly #pool = new BufferPool(() => new LineChunkBuffers());
  #chunk: LineChunk | undefined;
  #startedAt = 0;
  #maxLines = 0;

  constructor(options: AssemblerOptions) {
    this.#options = options;
  }

  /**
   * Whether the sender may wait for results. A chunk of blank lines has none and stays open; otherwise each
   * blank line that keeps the connection open would be recorded as a chunk.
   */
  get isAwaited(): boolean {
    return this.#chunk !== undefined && this.#chunk.filled > 0;
  }

  get ageMs(): number {
    return this.#chunk === undefined ? 0 : performance.now() - this.#startedAt;
  }

  *add(block: LineBlock): Generator<LineChunk> {
    for (let rest: LineBlock | undefined = block; rest !== undefined; ) {
      this.#chunk ??= this.#begin(rest);
      const [head, others]: [LineBlock, LineBlock | undefined] = cutBlock(rest, this.#room(this.#chunk));
      this.#chunk.add(head);
      rest = others;
      if (this.#isFull(this.#chunk)) yield* this.take();
    }
  }

  *take(): Generator<LineChunk> {
    const chunk = this.#chunk;
    this.#chunk = undefined;
    if (chunk !== undefined) yield chunk;
  }

  #begin({ lines: [first] }: LineBlock): LineChunk {
    const { limits, maxLineBytes, openOptimistic, pace } = this.#options;
    const firstLine = first?.line ?? Number.NaN;
    this.#startedAt = performance.now();
    this.#maxLines = pace?.isHeldBack ? Math.min(SHORT_CHUNK_LINES, limits.maxLines) : limits.maxLines;
    const optimistic = openOptimistic(firstLine);
    return new LineChunk({ firstLine, maxLineBytes, optimistic, pool: this.#pool });
  }

  #room({ size, filled, nextLine }: LineChunk): LineRoom {
    const { boundary } = this.#options;
    const toBoundary = nextLine < boundary ? boundary - nextLine : Number.POSITIVE_INFINITY;
    return {
      lines: Math.min(this.#maxLines * BLANKS_A_LINE - size, toBoundary),
      filled: this.#maxLines - filled,
    };
  }

  #isFull({ size, filled, bytes, nextLine }: LineChunk): boolean {
    const { limits, boundary } = this.#options;
    return (
      filled >= this.#maxLines ||
      size >= this.#maxLines * BLANKS_A_LINE ||
      bytes >= limits.maxBytes ||
      nextLine === boundary
    );
  }
}
