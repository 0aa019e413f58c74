import { markHandled } from '../../lib/async/map-in-order.ts';
import type { DryRunSession, Progress } from '../import-store.ts';
import { setExampleHashes } from '../resolve/hash-passwords.ts';
import { resolveLines } from '../resolve/resolve-lines.ts';
import { advance, type ChunkResult, resultOf } from './chunk-result.ts';
import { type ChunkImporter, type ImportDeps, type ImporterOptions, ParsedLines } from './chunk-writer.ts';
import type { LineChunk } from './line-chunk.ts';
import { OptimisticChunk } from './optimistic-chunk.ts';

/** Decides as a `ChunkWriter` would, and writes nothing. Chunks are read ahead, and decided one after the other. */
export class DryRunImporter implements ChunkImporter {
  readonly #deps: ImportDeps;
  readonly #options: ImporterOptions;
  #session: Promise<DryRunSession> | undefined;
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

  openOptimistic(firstLine: number): OptimisticChunk | undefined {
    if (this.#expectsConflicts) return undefined;
    const { imports, now } = this.#deps;
    const { read } = this.#options;
    return new OptimisticChunk(firstLine, { rows: imports.dryRunRows(), read, dryRun: true, now: now() });
  }

  import(chunk: LineChunk): Promise<ChunkResult> {
    const result = this.#before.then(() => this.#deps.pace.step(() => this.#decide(chunk)));
    this.#before = markHandled(result);
    return result;
  }

  async #decide(chunk: LineChunk): Promise<ChunkResult> {
    this.#session ??= this.#deps.imports.openDryRun();
    const session = await this.#session;
    const { optimistic } = chunk;
    const isNew = optimistic?.keys !== undefined && (await session.keepNew(optimistic.rows));
    const result = isNew ? optimistic.takeResult() : await this.#resolve(chunk, session);
    this.#progress = advance(this.#progress, chunk.nextLine, result);
    return result;
  }

  async #resolve(chunk: LineChunk, session: DryRunSession): Promise<ChunkResult> {
    const { passwords, now } = this.#deps;
    const { onConflict, read } = this.#options;
    const lines = new ParsedLines(chunk, read);
    setExampleHashes(passwords, lines.parsedUsers());
    let metUsers = false;
    const writeSet = await session.resolve(lines.keys(), (existing) => {
      metUsers = existing.passwords.size + existing.thirdParties.size > 0;
      return resolveLines(lines.all(), existing, { onConflict, dryRun: true, now: now() });
    });
    this.#expectsConflicts = metUsers;
    return resultOf(writeSet, chunk.firstLine);
  }

  async progress(): Promise<Progress> {
    return this.#progress;
  }

  async close(): Promise<void> {
    await this.#before.catch(() => {});
    await (await this.#session?.catch(() => undefined))?.close();
  }
}
