import { ByteBuilder } from '../byte-builder.ts';
import type { Pool, Reusable } from '../pool.ts';
import type { ChunkDraft } from './chunk-draft.ts';
import {
  DIGEST_BYTES,
  isBlank,
  type LineBlock,
  lineDigest,
  type RawLine,
  readLines,
} from './line-splitter.ts';

/** What is kept of the lines of a chunk: their bytes, not their texts. */
export class ChunkMemory implements Reusable {
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

export interface RawChunkOptions {
  firstLine: number;
  maxLineBytes: number;
  draft: ChunkDraft | undefined;
  pool: Pool<ChunkMemory>;
}

/** Some lines that follow each other. */
export class RawChunk {
  readonly firstLine: number;
  readonly draft: ChunkDraft | undefined;
  readonly #options: RawChunkOptions;
  #memory: ChunkMemory | undefined;
  #size = 0;
  #filled = 0;
  /** Of the lines that are not settled yet. */
  #digestText = '';

  constructor(options: RawChunkOptions) {
    this.firstLine = options.firstLine;
    this.draft = options.draft;
    this.#options = options;
    this.#memory = options.pool.take();
  }

  /** Lines. */
  get size(): number {
    return this.#size;
  }

  /** Lines that are not blank. */
  get filled(): number {
    return this.#filled;
  }

  /** The line after its last one. */
  get nextLine(): number {
    return this.firstLine + this.#size;
  }

  get bytes(): number {
    return this.#held.lines.length;
  }

  /** `block`: the lines that follow. */
  add({ lines, bytes }: LineBlock): void {
    const { lines: held } = this.#held;
    if (this.#size > 0) held.addText('\n');
    held.add(bytes);
    this.#size += lines.length;
    for (const raw of lines) {
      if (!isBlank(raw)) this.#filled += 1;
      this.#digestText += lineDigest(raw);
      this.draft?.add(raw);
    }
  }

  /** Turns what is kept of the lines so far into bytes. */
  settle(): void {
    this.#held.digests.addText(this.#digestText, 'latin1');
    this.#digestText = '';
    this.draft?.settle();
  }

  /** By place. Read anew for each call: most chunks are never asked. */
  lines(): RawLine[] {
    return readLines(this.#held.lines.bytes(), this.firstLine, this.#options.maxLineBytes);
  }

  /** Eight bytes a line; not to be looked at once the chunk is released. */
  digests(): Buffer {
    return this.#held.digests.bytes();
  }

  /** It is dealt with: its memory may be used again. */
  release(): void {
    this.#options.pool.give(this.#held);
    this.#memory = undefined;
  }

  get #held(): ChunkMemory {
    if (this.#memory === undefined) throw new Error('this chunk was released');
    return this.#memory;
  }
}

/** The digest at a place of a chunk. */
export const digestAt = (digests: Buffer, place: number): Buffer =>
  digests.subarray(place * DIGEST_BYTES, (place + 1) * DIGEST_BYTES);
