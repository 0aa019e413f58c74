import type { BufferPool, Reusable } from '../../lib/buffers/buffer-pool.ts';
import { ByteBuilder } from '../../lib/buffers/byte-builder.ts';
import { isBlank, type LineBlock, type RawLine, readLines } from '../input/line-splitter.ts';
import { LineMarks } from './line-marks.ts';
import type { OptimisticChunk } from './optimistic-chunk.ts';

export class LineChunkBuffers implements Reusable {
  readonly lines = new ByteBuilder();
  readonly marks = new LineMarks();

  get capacity(): number {
    return this.lines.capacity + this.marks.capacity;
  }

  clear(): void {
    this.lines.clear();
    this.marks.clear();
  }
}

export interface LineChunkOptions {
  firstLine: number;
  maxLineBytes: number;
  optimistic: OptimisticChunk | undefined;
  pool: BufferPool<LineChunkBuffers>;
}

export class LineChunk {
  readonly firstLine: number;
  /** Undefined if existing users are expected. */
  readonly optimistic: OptimisticChunk | undefined;
  readonly #options: LineChunkOptions;
  #buffers: LineChunkBuffers | undefined;
  #size = 0;
  #filled = 0;

  constructor(options: LineChunkOptions) {
    this.firstLine = options.firstLine;
    this.optimistic = options.optimistic;
    this.#options = options;
    this.#buffers = options.pool.take();
  }

  /** Number of lines, with blank lines. */
  get size(): number {
    return this.#size;
  }

  /** Number of lines, without blank lines. */
  get filled(): number {
    return this.#filled;
  }

  get nextLine(): number {
    return this.firstLine + this.#size;
  }

  get bytes(): number {
    return this.#held.lines.length;
  }

  /** @param block lines that directly follow those of the chunk */
  add({ lines, bytes }: LineBlock): void {
    const held = this.#held;
    if (this.#size > 0) held.lines.addText('\n');
    held.lines.add(bytes);
    this.#size += lines.length;
    for (const raw of lines) if (!isBlank(raw)) this.#filled += 1;
    held.marks.add(lines);
    this.optimistic?.add(lines);
  }

  /** Decodes the lines at each call, because most chunks never need them. */
  lines(): RawLine[] {
    return readLines(this.#held.lines.bytes(), this.firstLine, this.#options.maxLineBytes);
  }

  /** Returns the marks of the lines without copying them. They are invalid after `release`. */
  get marks(): Buffer {
    return this.#held.marks.bytes();
  }

  release(): void {
    this.#options.pool.give(this.#held);
    this.#buffers = undefined;
  }

  get #held(): LineChunkBuffers {
    if (this.#buffers === undefined) throw new Error('this chunk was released');
    return this.#buffers;
  }
}
