import type { BufferPool, Reusable } from '../../lib/buffers/buffer-pool.ts';
import { ByteBuilder } from '../../lib/buffers/byte-builder.ts';
import {
  DIGEST_BYTES,
  isBlank,
  type LineBlock,
  lineDigest,
  type RawLine,
  readLines,
} from './line-splitter.ts';
import type { OptimisticChunk } from './optimistic-chunk.ts';

/** What is kept of the lines of a chunk: their bytes, not their texts. */
export class LineChunkBuffers implements Reusable {
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

export interface LineChunkOptions {
  firstLine: number;
  maxLineBytes: number;
  optimistic: OptimisticChunk | undefined;
  pool: BufferPool<LineChunkBuffers>;
}

/** Some lines that follow each other. */
export class LineChunk {
  readonly firstLine: number;
  readonly optimistic: OptimisticChunk | undefined;
  readonly #options: LineChunkOptions;
  #memory: LineChunkBuffers | undefined;
  #size = 0;
  #filled = 0;
  /** Of the lines that are not settled yet. */
  #digestText = '';

  constructor(options: LineChunkOptions) {
    this.firstLine = options.firstLine;
    this.optimistic = options.optimistic;
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
      this.optimistic?.add(raw);
    }
  }

  /** Turns what is kept of the lines so far into bytes. */
  flush(): void {
    this.#held.digests.addText(this.#digestText, 'latin1');
    this.#digestText = '';
    this.optimistic?.flush();
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

  get #held(): LineChunkBuffers {
    if (this.#memory === undefined) throw new Error('this chunk was released');
    return this.#memory;
  }
}

/** The digest at a place of a chunk. */
export const digestAt = (digests: Buffer, lineIndex: number): Buffer =>
  digests.subarray(lineIndex * DIGEST_BYTES, (lineIndex + 1) * DIGEST_BYTES);
