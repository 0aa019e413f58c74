import type { Readable } from 'node:stream';

/** Maximum number of blocks that may wait for the reader. Connections pause at this number. */
const MAX_BLOCKS = 16;

/** Blocks of rows from one or more connections to one reader. Connections wait while the reader is busy. */
export class RowBlocks {
  #blocks: Buffer[] = [];
  readonly #paused = new Set<Readable>();
  #end: { error?: unknown } | undefined;
  /** Wakes the reader if it is waiting for a block. */
  #wake: () => void = () => {};

  add(block: Buffer, connection: Readable): void {
    if (this.#end !== undefined) return;
    this.#blocks.push(block);
    if (this.#blocks.length >= MAX_BLOCKS) this.#paused.add(connection.pause());
    this.#wake();
  }

  /** Ends the rows after the waiting blocks. With an error, ends them at once, and the reader gets the error. */
  end(problem: { error?: unknown } = {}): void {
    if (this.#end !== undefined) return;
    this.#end = problem;
    this.#resume();
    this.#wake();
  }

  /** @throws the error with which the rows ended */
  async *read(): AsyncGenerator<Buffer, void> {
    for (;;) {
      if (this.#end !== undefined && 'error' in this.#end) throw this.#end.error;
      const block = this.#blocks.shift();
      if (block !== undefined) {
        if (this.#blocks.length < MAX_BLOCKS) this.#resume();
        yield block;
      } else if (this.#end !== undefined) {
        return;
      } else {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    }
  }

  #resume(): void {
    for (const connection of this.#paused) connection.resume();
    this.#paused.clear();
  }
}
