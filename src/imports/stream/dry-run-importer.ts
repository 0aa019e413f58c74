import { markHandled } from '../../lib/async/map-in-order.ts';
import type { DryRunRows, DryRunSession, Progress } from '../import-store.ts';
import { hasLogins } from '../resolve/existing-logins.ts';
import { randomSeed } from '../resolve/fingerprints.ts';
import { setExampleHashes } from '../resolve/hash-passwords.ts';
import { resolveLines } from '../resolve/resolve-lines.ts';
import type { ChunkImporter, ImportDeps, ImporterOptions } from './chunk-importer.ts';
import { advance, type ChunkResult, resultOf } from './chunk-result.ts';
import { DryRunRecord } from './dry-run-record.ts';
import type { LineChunk } from './line-chunk.ts';
import { OptimisticChunk } from './optimistic-chunk.ts';
import { ParsedLines } from './parsed-lines.ts';

/**
 * Decides lines like `ChunkWriter`, but writes no users. Chunks are read ahead and decided one after the
 * other.
 */
export class DryRunImporter implements ChunkImporter<DryRunRows> {
  readonly #deps: ImportDeps;
  readonly #options: ImporterOptions;
  readonly #seed = randomSeed();
  readonly #record: DryRunRecord;
  readonly #session: DryRunSession;
  #progress: Progress;
  #chunkBefore: Promise<unknown> = Promise.resolve();
  /** Whether the last decided chunk matched stored logins or logins of earlier lines. */
  #expectsConflicts = false;

  constructor(deps: ImportDeps, options: ImporterOptions) {
    this.#deps = deps;
    this.#options = options;
    this.#record = new DryRunRecord(deps, options.run);
    this.#session = deps.imports.openDryRun();
    this.#progress = options.run.progress;
  }

  openOptimistic(firstLine: number): OptimisticChunk<DryRunRows> | undefined {
    if (this.#expectsConflicts) return undefined;
    const { read } = this.#options;
    const { vault } = this.#deps;
    const [rows, now] = [this.#session.rows(), this.#deps.now()];
    return new OptimisticChunk(firstLine, { rows, seed: this.#seed, read, dryRun: true, vault, now });
  }

  import(chunk: LineChunk<DryRunRows>): Promise<ChunkResult> {
    const result = this.#chunkBefore.then(() => this.#deps.pace.step(() => this.#decide(chunk)));
    this.#chunkBefore = markHandled(result);
    return result;
  }

  async #decide(chunk: LineChunk<DryRunRows>): Promise<ChunkResult> {
    const { optimistic } = chunk;
    const isNew = optimistic?.keys !== undefined && (await this.#session.keepNew(optimistic.rows));
    const result = isNew ? optimistic.takeResult() : await this.#resolve(chunk);
    optimistic?.rows.release();
    this.#progress = advance(this.#progress, chunk.nextLine, result);
    await this.#record.add(result, this.#progress);
    return result;
  }

  async #resolve(chunk: LineChunk): Promise<ChunkResult> {
    const { passwords, fingerprints, vault, now } = this.#deps;
    const { onConflict, read } = this.#options;
    const lines = new ParsedLines(chunk, read);
    setExampleHashes(passwords, lines.users());
    let metLogins = false;
    const writeSet = await this.#session.resolve(lines.keys(), (existing) => {
      metLogins = hasLogins(existing);
      return resolveLines(lines.all(), existing, {
        onConflict,
        fingerprints,
        dryRun: true,
        vault,
        now: now(),
      });
    });
    this.#expectsConflicts = metLogins;
    return resultOf(writeSet, chunk.firstLine);
  }

  async progress(): Promise<Progress> {
    await this.#record.flush(this.#progress);
    return this.#progress;
  }

  async close(): Promise<void> {
    await this.#chunkBefore.catch(() => {});
    await this.#session.close();
  }
}
