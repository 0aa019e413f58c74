import { markHandled } from '../../lib/async/map-in-order.ts';
import type { ImportStore, Progress, Run } from '../import-store.ts';
import type { LineFailures } from '../resolve/line-failures.ts';

/** Milliseconds between two updates. Many failed lines cause an update earlier. */
const INTERVAL_MS = 1000;

/** Maximum number of buffered failed lines: about those of one chunk. */
const MAX_PENDING = 2000;

export class DryRunRecord {
  readonly #deps: { imports: Pick<ImportStore, 'recordDryRun'>; now(): number };
  readonly #run: Run;
  #pending = new Map<string, (readonly [line: number, message: string])[]>();
  #size = 0;
  #writtenAt: number;
  #writing: Promise<void> = Promise.resolve();

  constructor(deps: { imports: Pick<ImportStore, 'recordDryRun'>; now(): number }, run: Run) {
    this.#deps = deps;
    this.#run = run;
    this.#writtenAt = deps.now();
  }

  /** Waits for the write before, if the result of the chunk must be written now. */
  async add({ failures }: { failures: LineFailures }, progress: Progress): Promise<void> {
    for (const [code, lines] of failures) {
      const others = this.#pending.get(code);
      if (others === undefined) this.#pending.set(code, [...lines]);
      else others.push(...lines);
      this.#size += lines.length;
    }
    if (this.#size < MAX_PENDING && this.#deps.now() - this.#writtenAt < INTERVAL_MS) return;
    await this.#writing;
    this.#writing = markHandled(this.#write(progress));
  }

  /** @throws the error of an earlier write */
  async flush(progress: Progress): Promise<void> {
    await this.#writing;
    if (this.#size > 0) await this.#write(progress);
  }

  #write(progress: Progress): Promise<void> {
    const failures = this.#pending;
    this.#pending = new Map();
    this.#size = 0;
    this.#writtenAt = this.#deps.now();
    return this.#deps.imports.recordDryRun(this.#run, progress, failures);
  }
}
