import { setImmediate as eventLoopTurn } from 'node:timers/promises';
import { BufferPool } from '../../lib/buffers/buffer-pool.ts';
import type { BulkPace } from '../bulk-pace.ts';
import type { RowSink } from '../import-store.ts';
import { cutBlock, type LineBlock, type LineRoom, LineSplitter } from '../input/line-splitter.ts';
import { LineChunk, LineChunkBuffers } from './line-chunk.ts';
import type { OptimisticChunk } from './optimistic-chunk.ts';

export interface ChunkLimits {
  /** Lines that are not blank. */
  maxLines: number;
  /** Bytes of lines at which a chunk is full. */
  maxBytes: number;
  /** Time without further lines after which a chunk is closed though it is not full, in ms. */
  idleMs: number;
  /** …and when its first line has waited for so long. */
  maxAgeMs: number;
}

/** Factor by which a chunk may have more lines if most are blank: blank lines cost little, and a transaction much. */
const BLANKS_A_LINE = 32;

/** Most lines of a chunk while calls come: the database writes it in about the time of their own statements. */
const SHORT_CHUNK_LINES = 300;

/** Lines that are read in one turn of the event loop beside calls, which takes about half a millisecond. */
const TURN: LineRoom = { lines: 2000, filled: 64 };
const NO_LIMIT: LineRoom = { lines: Number.POSITIVE_INFINITY, filled: Number.POSITIVE_INFINITY };

export interface AssemblerOptions<Rows extends RowSink> {
  maxLineBytes: number;
  limits: ChunkLimits;
  /** Whether calls come: then chunks are short, and the event loop turns after a few lines. */
  pace?: Pick<BulkPace, 'isHeldBack'>;
  /** No chunk has lines on both sides of this one. */
  boundary: number;
  /** Asked at the beginning of each chunk. */
  openOptimistic(firstLine: number): OptimisticChunk<Rows> | undefined;
}

/**
 * Puts the lines of a body together to chunks: large ones while lines come fast, small ones when they come slowly, so that
 * a caller who waits for an answer before it sends on gets that answer.
 */
export async function* assembleChunks<Rows extends RowSink>(
  body: AsyncIterable<Buffer>,
  options: AssemblerOptions<Rows>,
): AsyncGenerator<LineChunk<Rows>> {
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
      // It is awaited later, perhaps after a chunk was taken. A failure until then must not end the process.
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

/** Holds the chunk that is not full yet, if there is one. */
class ChunkAssembler<Rows extends RowSink> {
  readonly #options: AssemblerOptions<Rows>;
  readonly #pool = new BufferPool(() => new LineChunkBuffers());
  #chunk: LineChunk<Rows> | undefined;
  #startedAt = 0;
  #maxLines = 0;

  constructor(options: AssemblerOptions<Rows>) {
    this.#options = options;
  }

  /**
   * Whether the sender may be waiting for the chunk. Nothing is reported of blank lines: a chunk that has no others stays open,
   * so that a sender of one now and then does not get each recorded.
   */
  get isAwaited(): boolean {
    return this.#chunk !== undefined && this.#chunk.filled > 0;
  }

  get ageMs(): number {
    return this.#chunk === undefined ? 0 : performance.now() - this.#startedAt;
  }

  /** Yields the chunks that become full. */
  *add(block: LineBlock): Generator<LineChunk<Rows>> {
    for (let rest: LineBlock | undefined = block; rest !== undefined; ) {
      this.#chunk ??= this.#begin(rest);
      const [head, others]: [LineBlock, LineBlock | undefined] = cutBlock(rest, this.#room(this.#chunk));
      this.#chunk.add(head);
      rest = others;
      if (this.#isFull(this.#chunk)) yield* this.take();
    }
  }

  /** Yields the chunk as it is. */
  *take(): Generator<LineChunk<Rows>> {
    const chunk = this.#chunk;
    this.#chunk = undefined;
    if (chunk !== undefined) yield chunk;
  }

  #begin({ lines: [first] }: LineBlock): LineChunk<Rows> {
    const { limits, maxLineBytes, openOptimistic, pace } = this.#options;
    const firstLine = first?.line ?? Number.NaN;
    this.#startedAt = performance.now();
    this.#maxLines = pace?.isHeldBack ? Math.min(SHORT_CHUNK_LINES, limits.maxLines) : limits.maxLines;
    const optimistic = openOptimistic(firstLine);
    return new LineChunk({ firstLine, maxLineBytes, optimistic, pool: this.#pool });
  }

  #room({ size, filled, nextLine }: LineChunk<Rows>): LineRoom {
    const { boundary } = this.#options;
    const toBoundary = nextLine < boundary ? boundary - nextLine : Number.POSITIVE_INFINITY;
    return {
      lines: Math.min(this.#maxLines * BLANKS_A_LINE - size, toBoundary),
      filled: this.#maxLines - filled,
    };
  }

  #isFull({ size, filled, bytes, nextLine }: LineChunk<Rows>): boolean {
    const { limits, boundary } = this.#options;
    return (
      filled >= this.#maxLines ||
      size >= this.#maxLines * BLANKS_A_LINE ||
      bytes >= limits.maxBytes ||
      nextLine === boundary
    );
  }
}

/** Resolves to undefined when the promise takes longer than that. */
async function within<T>(ms: number, promise: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, ms, undefined);
  });
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
