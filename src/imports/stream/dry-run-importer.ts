import { markHandled } from '../../lib/async/map-in-order.ts';
import type { DryRunRows, DryRunSession, EarlierUser, Progress } from '../import-store.ts';
import { hasLogins } from '../resolve/existing-logins.ts';
import { randomSeed } from '../resolve/fingerprints.ts';
import { setExampleHashes } from '../resolve/hash-passwords.ts';
import { LineResolver, type ResolveOptions } from '../resolve/line-resolver.ts';
import { keysOf } from '../resolve/login-keys.ts';
import { MatchResolver } from '../resolve/match-resolver.ts';
import type { ChunkImporter, ImportDeps, ImporterOptions } from './chunk-importer.ts';
import { advance, type ChunkResult, resultOf, settledReport, settledResult } from './chunk-result.ts';
import { DeferredLines, usersOf } from './deferred-lines.ts';
import { DryRunRecord } from './dry-run-record.ts';
import type { LineChunk } from './line-chunk.ts';
import { OptimisticChunk } from './optimistic-chunk.ts';
import type { ParsedLines } from './parsed-lines.ts';

/** Decides lines like `ChunkWriter`, but writes no users. Decides one chunk after the other. */
export class DryRunImporter implements ChunkImporter<DryRunRows> {
  readonly #deps: ImportDeps;
  readonly #options: ImporterOptions;
  readonly #seed = randomSeed();
  readonly #record: DryRunRecord;
  readonly #session: DryRunSession;
  #progress: Progress;
  #chunkBefore: Promise<unknown> = Promise.resolve();
  #expectsConflicts = false;

  readonly #deferred = new DeferredLines();
  readonly #isMatching: boolean;

  constructor(deps: ImportDeps, options: ImporterOptions) {
    this.#deps = deps;
    this.#options = options;
    this.#isMatching = options.matchBy === 'externalId';
    this.#record = new DryRunRecord(deps, options.run);
    this.#session = deps.imports.openDryRun();
    this.#progress = options.run.progress;
  }

  openOptimistic(firstLine: number): OptimisticChunk<DryRunRows> | undefined {
    // The rows of an optimistic chunk do not show which logins belong to one user, as matching needs.
    if (this.#expectsConflicts || this.#isMatching) return undefined;
    const { read } = this.#options;
    const { vault } = this.#deps;
    const [rows, now] = [this.#session.rows(), this.#deps.now()];
    return new OptimisticChunk(firstLine, { rows, seed: this.#seed, read, dryRun: true, vault, now });
  }

  import(chunk: LineChunk<DryRunRows>, lines: ParsedLines): Promise<ChunkResult> {
    const result = this.#chunkBefore.then(() => this.#deps.pace.step(() => this.#decide(chunk, lines)));
    this.#chunkBefore = markHandled(result);
    return result;
  }

  async #decide(chunk: LineChunk<DryRunRows>, lines: ParsedLines): Promise<ChunkResult> {
    const { optimistic } = chunk;
    const isNew = optimistic?.keys !== undefined && (await this.#session.keepNew(optimistic.rows));
    const result = isNew ? optimistic.takeResult() : await this.#resolve(chunk, lines);
    optimistic?.rows.release();
    this.#progress = advance(this.#progress, chunk.nextLine, result);
    await this.#record.add(result, this.#progress);
    return result;
  }

  async #resolve(chunk: LineChunk, lines: ParsedLines): Promise<ChunkResult> {
    setExampleHashes(this.#deps.passwords, lines.users());
    if (this.#isMatching) return this.#match(chunk, lines);
    let metLogins = false;
    const writeSet = await this.#session.resolve(lines.keys(), (existing) => {
      metLogins = hasLogins(existing);
      return new LineResolver(existing, this.#resolveOptions()).addAll(lines.all()).writeSet;
    });
    this.#expectsConflicts = metLogins;
    return resultOf(writeSet, chunk.firstLine);
  }

  async #match({ firstLine }: LineChunk, lines: ParsedLines): Promise<ChunkResult> {
    const writeSet = await this.#session.match(lines.keys(), this.#options.source, (known) =>
      new MatchResolver(known, this.#resolveOptions()).addAll(lines.all()),
    );
    this.#deferred.limit(writeSet.outcomes, lines.sizeOf);
    const result = resultOf(writeSet, firstLine);
    this.#deferred.addFrom(result.recordedOutcomes, firstLine, lines);
    return result;
  }

  #resolveOptions(): ResolveOptions {
    const { fingerprints, vault, now } = this.#deps;
    const { onConflict, trustExternalIds } = this.#options;
    return { onConflict, trustExternalIds, fingerprints, dryRun: true, vault, now: now() };
  }

  /** A dry run records no lines, so no earlier run can have deferred a line. */
  defer(): void {}

  async forget(users: readonly EarlierUser[]): Promise<void> {
    await this.#deps.pace.step(() => this.#session.remove(users));
  }

  async settle(): Promise<Pick<ChunkResult, 'report' | 'counts'> | undefined> {
    await this.#chunkBefore;
    const lines = this.#deferred.all();
    if (lines.length === 0) return undefined;
    const writeSet = await this.#deps.pace.step(() =>
      this.#session.match(keysOf(usersOf(lines)), this.#options.source, (known) =>
        new MatchResolver(known, this.#resolveOptions()).settle(lines.map(({ parsed }) => parsed)),
      ),
    );
    const result = settledResult(writeSet, lines);
    await this.#record.flush(this.#progress);
    this.#progress = advance(this.#progress, this.#progress.nextLine, result);
    await this.#deps.imports.recordDryRun(this.#options.run, this.#progress, result.failures, true);
    return settledReport(lines, new Map(result.recordedOutcomes));
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
