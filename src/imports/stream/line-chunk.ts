import type { BufferPool, Reusable } from '../../lib/buffers/buffer-pool.ts';
import { ByteBuilder } from '../../lib/buffers/byte-builder.ts';
import type { RowSink } from '../import-store.ts';
import { isBlank, type LineBlock, type RawLine, readLines } from '../input/line-splitter.ts';
import { LineMarks } from './line-marks.ts';
import type { OptimisticChunk } from './optimistic-chunk.ts';

/** Holds the bytes of the lines of a chunk, not their texts. */
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

export interface LineChunkOptions<Rows extends RowSink> {
  firstLine: number;
  maxLineBytes: number;
  optimistic: OptimisticChunk<Rows> | undefined;
  pool: BufferPool<LineChunkBuffers>;
}

/** Some lines that follow each other, as they came. */
export class LineChunk<Rows extends RowSink = RowSink> {
  readonly firstLine: number;
  /** The same lines, resolved as they came; undefined where that is not worth trying. */
  readonly optimistic: OptimisticChunk<Rows> | undefined;
  readonly #options: LineChunkOptions<Rows>;
  #buffers: LineChunkBuffers | undefined;
  #size = 0;
  #filled = 0;

  constructor(options: LineChunkOptions<Rows>) {
    this.firstLine = options.firstLine;
    this.optimistic = options.optimistic;
    this.#options = options;
    this.#buffers = options.pool.take();
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

  /** @param block the lines that follow */
  add({ lines, bytes }: LineBlock): void {
    const held = this.#held;
    if (this.#size > 0) held.lines.addText('\n');
    held.lines.add(bytes);
    this.#size += lines.length;
    for (const raw of lines) if (!isBlank(raw)) this.#filled += 1;
    held.marks.add(lines);
    this.optimistic?.add(lines);
  }

  /** Returns lines by line index. They are read anew for each call, because most chunks never need them. */
  lines(): RawLine[] {
    return readLines(this.#held.lines.bytes(), this.firstLine, this.#options.maxLineBytes);
  }

  /** The marks of the lines (line-marks.ts). A view: not to be looked at once the chunk is released. */
  marks(): Buffer {
    return this.#held.marks.bytes();
  }

  /** Gives its memory back for other chunks. */
  release(): void {
    this.#options.pool.give(this.#held);
    this.#buffers = undefined;
  }

  get #held(): LineChunkBuffers {
    if (this.#buffers === undefined) throw new Error('this chunk was released');
    return this.#buffers;
  }
}
