import type { ChunkDraft } from './chunk-draft.ts';
import { DIGEST_BYTES, type LineSplitter, lineDigest, type RawLine } from './line-splitter.ts';

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
  let chunk: Gathering | undefined;
  const add = (raw: RawLine) => {
    chunk ??= new Gathering(raw.line, draft(raw.line));
    chunk.add(raw);
    const isFull = chunk.size >= limits.maxLines || chunk.characters >= limits.maxCharacters;
    return isFull || raw.line === boundary - 1;
  };
  const take = (full: Gathering): RawChunk => {
    chunk = undefined;
    return full.take();
  };

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
      for (const raw of splitter.push(result.value)) if (add(raw) && chunk !== undefined) yield take(chunk);
      chunk?.settle();
      if (chunk !== undefined && performance.now() - chunk.startedAt >= limits.maxAgeMs) yield take(chunk);
    }
    for (const raw of splitter.end()) add(raw);
    if (chunk !== undefined) yield take(chunk);
  } finally {
    await iterator.return?.();
  }
}

class Gathering {
  readonly startedAt = performance.now();
  size = 0;
  characters = 0;
  readonly #firstLine: number;
  readonly #draft: ChunkDraft | undefined;
  readonly #digests: Buffer[] = [];
  #digestText = '';
  /** Not settled yet. */
  #lines: RawLine[] = [];
  readonly #held: HeldLines[] = [];

  constructor(firstLine: number, draft: ChunkDraft | undefined) {
    this.#firstLine = firstLine;
    this.#draft = draft;
  }

  add(raw: RawLine): void {
    this.#lines.push(raw);
    this.size += 1;
    this.#digestText += lineDigest(raw);
    this.characters += raw.text?.length ?? 0;
    this.#draft?.add(raw);
  }

  /** Some lines are in: what is kept of them weighs less, for the garbage collector too, than what they are made from. */
  settle(): void {
    this.#held.push(hold(this.#lines));
    this.#lines = [];
    this.#digests.push(Buffer.from(this.#digestText, 'latin1'));
    this.#digestText = '';
    this.#draft?.settle();
  }

  take(): RawChunk {
    this.settle();
    const digests = Buffer.concat(this.#digests);
    const held = this.#held;
    return {
      firstLine: this.#firstLine,
      nextLine: this.#firstLine + this.size,
      lines: () => held.flatMap(release),
      digests,
      draft: this.#draft,
    };
  }
}

/** Lines that follow each other: their texts as one, or, where not all have a text, as they are. */
type HeldLines = { firstLine: number; text: string } | RawLine[];

function hold(lines: RawLine[]): HeldLines {
  const [first] = lines;
  return first === undefined || lines.some(({ text }) => text === undefined)
    ? lines
    : { firstLine: first.line, text: lines.map(({ text }) => text).join('\n') };
}

function release(held: HeldLines): RawLine[] {
  if (Array.isArray(held)) return held;
  return held.text.split('\n').map((text, place) => ({ line: held.firstLine + place, text }));
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
