import { ByteBuilder } from '../byte-builder.ts';
import { Pool, type Reusable } from '../pool.ts';
import type { ChunkDraft } from './chunk-draft.ts';
import {
  DIGEST_BYTES,
  type LineBlock,
  type LineSplitter,
  lineDigest,
  type RawLine,
} from './line-splitter.ts';

export interface ChunkLimits {
  maxLines: number;
  /** Of the text of its lines. */
  maxCharacters: number;
  /** A chunk that is not full is closed when no more of it comes for so long… */
  idleMs: number;
  /** …and when its first line has waited for so long. */
  maxAgeMs: number;
}

/** Some lines that follow each other. */
export interface RawChunk {
  firstLine: number;
  /** Of the chunk after it. */
  nextLine: number;
  /** By place. Made anew for each call: most chunks are never asked. */
  lines(): RawLine[];
  digests: Buffer;
  draft: ChunkDraft | undefined;
  /** It is dealt with: neither its lines nor its digests may be looked at any more. */
  release(): void;
}

/**
 * Gathers the lines of a body into chunks: large ones while lines come fast, small ones when they come slowly, so that
 * a caller who waits for an answer before sending on gets it.
 * @param boundary no chunk has lines on both sides of it
 * @param draft asked at the beginning of each chunk
 */
export async function* gatherLines(
  body: AsyncIterable<Buffer>,
  splitter: LineSplitter,
  limits: ChunkLimits,
  { boundary, draft }: { boundary: number; draft(firstLine: number): ChunkDraft | undefined },
): AsyncGenerator<RawChunk> {
  const memory = new Pool(() => new ChunkMemory());
  let chunk: Gathering | undefined;
  const take = (full: Gathering): RawChunk => {
    chunk = undefined;
    return full.take();
  };
  function* gather(blocks: readonly LineBlock[]): Generator<RawChunk> {
    for (const block of blocks) {
      let begin = 0;
      for (let next = block.lines[0]; next !== undefined; next = block.lines[begin]) {
        chunk ??= new Gathering(next.line, { limits, boundary, draft: draft(next.line), memory });
        begin = chunk.add(block, begin);
        if (chunk.isFull) yield take(chunk);
      }
    }
  }

  const iterator = body[Symbol.asyncIterator]();
  try {
    let next = iterator.next();
    for (;;) {
      const result = chunk === undefined ? await next : await within(limits.idleMs, next);
      if (result === undefined) {
        if (chunk !== undefined) yield take(chunk);
        continue;
      }
      if (result.done) break;
      next = iterator.next();
      // Awaited later, perhaps after a chunk was taken: until then a failure is nobody's.
      next.catch(() => {});
      yield* gather(splitter.push(result.value));
      chunk?.settle();
      if (chunk !== undefined && performance.now() - chunk.startedAt >= limits.maxAgeMs) yield take(chunk);
    }
    yield* gather(splitter.end());
    if (chunk !== undefined) yield take(chunk);
  } finally {
    await iterator.return?.();
  }
}

interface GatheringOptions {
  limits: ChunkLimits;
  boundary: number;
  draft: ChunkDraft | undefined;
  memory: Pool<ChunkMemory>;
}

/** What is kept of lines: their bytes, not their texts. */
class ChunkMemory implements Reusable {
  readonly lines = new ByteBuilder();
  readonly digests = new ByteBuilder();

  get capacity(): number {
    return this.lines.capacity + this.digests.capacity;
  }

  clear(): void {
    this.lines.clear();
    this.digests.clear();
  }
}

class Gathering {
  readonly startedAt = performance.now();
  /** No more lines may be added. */
  isFull = false;
  readonly #options: GatheringOptions;
  readonly #firstLine: number;
  #size = 0;
  #characters = 0;
  readonly #memory: ChunkMemory;
  readonly #held: {
    reread(bytes: Buffer): RawLine[];
    at: [start: number, end: number];
    places: [begin: number, end: number];
  }[] = [];
  /** Of the lines that are not settled yet. */
  #digestText = '';

  constructor(firstLine: number, options: GatheringOptions) {
    this.#firstLine = firstLine;
    this.#options = options;
    this.#memory = options.memory.take();
  }

  /** Takes lines of the block, from this place on, until it is full. Answers the place after the last one. */
  add({ lines, bytes, reread }: LineBlock, begin: number): number {
    const { limits, boundary, draft } = this.#options;
    let end = begin;
    while (end < lines.length && !this.isFull) {
      const raw = lines[end] as RawLine;
      end += 1;
      this.#size += 1;
      this.#characters += raw.text?.length ?? 0;
      this.#digestText += lineDigest(raw);
      draft?.add(raw);
      this.isFull =
        this.#size >= limits.maxLines ||
        this.#characters >= limits.maxCharacters ||
        raw.line === boundary - 1;
    }
    const start = this.#memory.lines.length;
    this.#memory.lines.add(bytes);
    this.#held.push({ reread, at: [start, start + bytes.length], places: [begin, end] });
    return end;
  }

  /** Turns what is kept of the lines so far into bytes. */
  settle(): void {
    this.#memory.digests.addText(this.#digestText, 'latin1');
    this.#digestText = '';
    this.#options.draft?.settle();
  }

  take(): RawChunk {
    this.settle();
    const [memory, held, pool] = [this.#memory, this.#held, this.#options.memory];
    return {
      firstLine: this.#firstLine,
      nextLine: this.#firstLine + this.#size,
      lines: () =>
        held.flatMap(({ reread, at, places }) => reread(memory.lines.bytes(...at)).slice(...places)),
      digests: memory.digests.bytes(),
      draft: this.#options.draft,
      release() {
        held.length = 0;
        pool.give(memory);
      },
    };
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

/** The digest at a place of a chunk. */
export const digestAt = (digests: Buffer, place: number): Buffer =>
  digests.subarray(place * DIGEST_BYTES, (place + 1) * DIGEST_BYTES);
