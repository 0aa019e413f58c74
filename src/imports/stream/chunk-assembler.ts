import { setImmediate as eventLoopTurn } from 'node:timers/promises';
import { BufferPool } from '../../lib/buffers/buffer-pool.ts';
import type { BulkPace } from '../bulk-pace.ts';
import { LineChunk, LineChunkBuffers } from './line-chunk.ts';
import { cutBlock, type LineBlock, type LineRoom, LineSplitter } from './line-splitter.ts';
import type { OptimisticChunk } from './optimistic-chunk.ts';

export interface ChunkLimits {
  /** Lines that are not blank. */
  maxLines: number;
  /** A chunk that has so many, of its lines, takes no more. */
  maxBytes: number;
  /** A chunk that is not full is closed when no more of it comes for so long… */
  idleMs: number;
  /** …and when its first line has waited for so long. */
  maxAgeMs: number;
}

/** A chunk may have so many times as many lines where most are blank: they cost little, and a transaction much. */
const BLANKS_A_LINE = 32;

/** Most lines of a chunk while others wait: the database writes it in about the time of their own statements. */
const SHORT_CHUNK_LINES = 300;

/** What is read in a turn of the event loop while others wait: about half a millisecond. */
const TURN: LineRoom = { lines: 2000, filled: 64 };
const NO_LIMIT: LineRoom = { lines: Number.POSITIVE_INFINITY, filled: Number.POSITIVE_INFINITY };

export interface AssemblerOptions {
  maxLineBytes: number;
  limits: ChunkLimits;
  /** Whether others wait: this thread is theirs again after a few lines, and chunks are short. */
  pace?: Pick<BulkPace, 'isHeldBack'>;
  /** No chunk has lines on both sides of it. */
  boundary: number;
  /** Asked at the beginning of each chunk. */
  openOptimistic(firstLine: number): OptimisticChunk | undefined;
}

/**
 * Gathers the lines of a body into chunks: large ones while lines come fast, small ones when they come slowly, so that
 * a caller who waits for an answer before sending on gets it.
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
      const result = assembler.isEmpty ? await next : await within(limits.idleMs, next);
      if (result === undefined) {
        yield* assembler.take();
        continue;
      }
      if (result.done) break;
      next = iterator.next();
      // Awaited later, perhaps after a chunk was taken: until then a failure is nobody's.
      next.catch(() => {});
      for (const block of splitter.push(result.value)) {
        for (let rest: LineBlock | undefined = block; rest !== undefined; ) {
          const isHeldBack: boolean = options.pace?.isHeldBack === true;
          const room = isHeldBack ? TURN : NO_LIMIT;
          const [head, others]: [LineBlock, LineBlock | undefined] = cutBlock(rest, room);
          yield* assembler.add([head]);
          rest = others;
          if (isHeldBack) await eventLoopTurn();
        }
      }
      if (assembler.ageMs >= limits.maxAgeMs) yield* assembler.take();
    }
    yield* assembler.add(splitter.end());
    yield* assembler.take();
  } finally {
    await iterator.return?.();
  }
}

/** The chunk that is not full yet, if there is one. */
class ChunkAssembler {
  readonly #options: AssemblerOptions;
  readonly #pool = new BufferPool(() => new LineChunkBuffers());
  #chunk: LineChunk | undefined;
  #startedAt = 0;
  #maxLines = 0;

  constructor(options: AssemblerOptions) {
    this.#options = options;
  }

  get isEmpty(): boolean {
    return this.#chunk === undefined;
  }

  get ageMs(): number {
    return this.#chunk === undefined ? 0 : performance.now() - this.#startedAt;
  }

  /** Gives the chunks that become full. */
  *add(blocks: readonly LineBlock[]): Generator<LineChunk> {
    for (const block of blocks) {
      for (let rest: LineBlock | undefined = block; rest !== undefined; ) {
        this.#chunk ??= this.#begin(rest);
        const [head, others]: [LineBlock, LineBlock | undefined] = cutBlock(rest, this.#room(this.#chunk));
        this.#chunk.add(head);
        rest = others;
        if (this.#isFull(this.#chunk)) yield* this.take();
      }
    }
    this.#chunk?.flush();
  }

  /** Gives the chunk as it is. */
  *take(): Generator<LineChunk> {
    const chunk = this.#chunk;
    if (chunk === undefined) return;
    this.#chunk = undefined;
    chunk.flush();
    yield chunk;
  }

  #begin({ lines: [first] }: LineBlock): LineChunk {
    const { limits, maxLineBytes, openOptimistic, pace } = this.#options;
    const firstLine = first?.line ?? Number.NaN;
    this.#startedAt = performance.now();
    this.#maxLines = pace?.isHeldBack ? Math.min(SHORT_CHUNK_LINES, limits.maxLines) : limits.maxLines;
    return new LineChunk({
      firstLine,
      maxLineBytes,
      optimistic: openOptimistic(firstLine),
      pool: this.#pool,
    });
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

/** Undefined when it takes longer than that. */
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
