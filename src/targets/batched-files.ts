import type { TargetDeps, TargetFile } from './target.ts';

interface Frame {
  begin: string;
  end: string;
}

/** Writes JSON files that hold a list each, because target systems limit how much they read at once. */
export class BatchedFiles {
  readonly #deps: Pick<TargetDeps, 'create'>;
  readonly #name: string;
  readonly #frame: Frame;
  readonly #maxItems: number;
  readonly #maxBytes: number;
  #file: TargetFile | undefined;
  #items = 0;
  #bytes = 0;
  #count = 0;

  /** @param name of the files, without number and extension */
  constructor(
    deps: Pick<TargetDeps, 'create'>,
    {
      name,
      frame,
      maxItems = Number.POSITIVE_INFINITY,
      maxBytes = Number.POSITIVE_INFINITY,
    }: { name: string; frame: Frame; maxItems?: number; maxBytes?: number },
  ) {
    this.#deps = deps;
    this.#name = name;
    this.#frame = frame;
    this.#maxItems = maxItems;
    this.#maxBytes = maxBytes;
  }

  get count(): number {
    return this.#count;
  }

  add(item: string): void {
    const bytes = Buffer.byteLength(item) + 2;
    const isFull = this.#items >= this.#maxItems || this.#bytes + bytes > this.#maxBytes;
    if (this.#file === undefined || isFull) this.#next();
    this.#file?.write((this.#items === 0 ? '' : ',\n') + item);
    this.#items += 1;
    this.#bytes += bytes;
  }

  end(): void {
    this.#file?.write(this.#frame.end);
    this.#file?.close();
    this.#file = undefined;
  }

  #next(): void {
    this.end();
    this.#count += 1;
    this.#file = this.#deps.create(`${this.#name}-${String(this.#count).padStart(5, '0')}.json`);
    this.#file.write(this.#frame.begin);
    this.#items = 0;
    this.#bytes = Buffer.byteLength(this.#frame.begin + this.#frame.end);
  }
}
