import { advance, type ChunkResult, resultOf } from './chunk-result.ts';
import { type ChunkImporter, type ImportDeps, type ImporterOptions, ReadLines } from './chunk-writer.ts';
import { pretendToHash } from './hash-passwords.ts';
import { planChunk } from './plan-chunk.ts';
import type { RawChunk } from './raw-chunk.ts';
import type { Progress, Rehearsal } from './store.ts';

/** Decides as a `ChunkWriter` would, and writes nothing. One chunk at a time. */
export class ChunkRehearser implements ChunkImporter {
  readonly #deps: ImportDeps;
  readonly #options: ImporterOptions;
  #rehearsal: Promise<Rehearsal> | undefined;
  #progress: Progress;

  constructor(deps: ImportDeps, options: ImporterOptions) {
    this.#deps = deps;
    this.#options = options;
    this.#progress = options.run.progress;
  }

  draft(): undefined {}

  async import(chunk: RawChunk): Promise<ChunkResult> {
    const { imports, passwords, now } = this.#deps;
    const { onConflict, read } = this.#options;
    const lines = new ReadLines(chunk, read);
    pretendToHash(passwords, lines.candidates());
    this.#rehearsal ??= imports.rehearse();
    const plan = await (await this.#rehearsal).plan(lines.keys(), (known) =>
      planChunk(lines.all(), known, { onConflict, dryRun: true, now: now() }),
    );
    const result = resultOf(plan, chunk.firstLine);
    this.#progress = advance(this.#progress, chunk.nextLine, result);
    return result;
  }

  async progress(): Promise<Progress> {
    return this.#progress;
  }

  async close(): Promise<void> {
    await (await this.#rehearsal?.catch(() => undefined))?.close();
  }
}
