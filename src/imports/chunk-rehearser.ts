import { ChunkDraft } from './chunk-draft.ts';
import { advance, type ChunkResult, resultOf } from './chunk-result.ts';
import { type ChunkImporter, type ImportDeps, type ImporterOptions, ReadLines } from './chunk-writer.ts';
import { pretendToHash } from './hash-passwords.ts';
import { quiet } from './in-order.ts';
import { planChunk } from './plan-chunk.ts';
import type { RawChunk } from './raw-chunk.ts';
import type { Progress, Rehearsal } from './store.ts';

/** Decides as a `ChunkWriter` would, and writes nothing. Chunks are read ahead, and decided one after the other. */
export class ChunkRehearser implements ChunkImporter {
  readonly #deps: ImportDeps;
  readonly #options: ImporterOptions;
  #rehearsal: Promise<Rehearsal> | undefined;
  #progress: Progress;
  /** The chunk before. */
  #before: Promise<unknown> = Promise.resolve();
  /** Some lines of the chunk that was decided last met users that are stored, or lines before. */
  #expectsConflicts = false;

  constructor(deps: ImportDeps, options: ImporterOptions) {
    this.#deps = deps;
    this.#options = options;
    this.#progress = options.run.progress;
  }

  draft(firstLine: number): ChunkDraft | undefined {
    if (this.#expectsConflicts) return undefined;
    const { imports, now } = this.#deps;
    const { read } = this.#options;
    return new ChunkDraft(firstLine, { rows: imports.rehearsedRows(), read, dryRun: true, now: now() });
  }

  import(chunk: RawChunk): Promise<ChunkResult> {
    const result = this.#before.then(() => this.#deps.pace.step(() => this.#decide(chunk)));
    this.#before = quiet(result);
    return result;
  }

  async #decide(chunk: RawChunk): Promise<ChunkResult> {
    this.#rehearsal ??= this.#deps.imports.rehearse();
    const rehearsal = await this.#rehearsal;
    const { draft } = chunk;
    const isNew = draft?.keys !== undefined && (await rehearsal.keepNew(draft.rows));
    const result = isNew ? draft.takeResult() : await this.#plan(chunk, rehearsal);
    this.#progress = advance(this.#progress, chunk.nextLine, result);
    return result;
  }

  async #plan(chunk: RawChunk, rehearsal: Rehearsal): Promise<ChunkResult> {
    const { passwords, now } = this.#deps;
    const { onConflict, read } = this.#options;
    const lines = new ReadLines(chunk, read);
    pretendToHash(passwords, lines.candidates());
    let metUsers = false;
    const plan = await rehearsal.plan(lines.keys(), (known) => {
      metUsers = known.passwords.size + known.thirdParties.size > 0;
      return planChunk(lines.all(), known, { onConflict, dryRun: true, now: now() });
    });
    this.#expectsConflicts = metUsers;
    return resultOf(plan, chunk.firstLine);
  }

  async progress(): Promise<Progress> {
    return this.#progress;
  }

  async close(): Promise<void> {
    await this.#before.catch(() => {});
    await (await this.#rehearsal?.catch(() => undefined))?.close();
  }
}
