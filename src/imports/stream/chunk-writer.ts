import { markHandled } from '../../lib/async/map-in-order.ts';
import { retry, upTo } from '../../lib/async/retry.ts';
import { within } from '../../lib/async/within.ts';
import { AppError, Contended } from '../../lib/errors.ts';
import type { ChunkSession, ChunkTransaction, Progress, RowBuffer } from '../import-store.ts';
import type { ParsedUser } from '../input/parsed-user.ts';
import { hasLogins } from '../resolve/existing-logins.ts';
import { type Fingerprints, randomSeed } from '../resolve/fingerprints.ts';
import { hashPasswords } from '../resolve/hash-passwords.ts';
import { hasUsers } from '../resolve/known-users.ts';
import { LineResolver, type ResolveOptions } from '../resolve/line-resolver.ts';
import { fingerprintsOf, keysOf } from '../resolve/login-keys.ts';
import { MatchResolver } from '../resolve/match-resolver.ts';
import type { Outcome } from '../resolve/outcome.ts';
import type { ChunkImporter, ImportDeps, ImporterOptions } from './chunk-importer.ts';
import { advance, type ChunkResult, resultOf, settledReport, settledResult } from './chunk-result.ts';
import { type DeferredLine, DeferredLines, usersOf } from './deferred-lines.ts';
import type { LineChunk } from './line-chunk.ts';
import { OptimisticChunk } from './optimistic-chunk.ts';
import type { ParsedLines } from './parsed-lines.ts';

/** An attempt fails if another import creates the same users between its read and its write. */
const MAX_ATTEMPTS = 50;

/**
 * Maximum milliseconds that a written chunk waits for the commit of the chunk before it. A deadlock can arise
 * that PostgreSQL cannot detect: the earlier chunk waits for a lock of another import, and that import waits
 * for a lock of this chunk. After the timeout, this chunk rolls back. The value is multiplied by
 * `chunkScale`, because larger chunks take longer. It must stay below the idle timeout of transactions.
 */
const COMMIT_WAIT_MS = 2000;

interface Resolved {
  result: ChunkResult;
  metLogins: boolean;
}

interface Job {
  chunk: LineChunk<RowBuffer>;
  lines: ParsedLines;
  /** Undefined if the chunk has none, or if its users may be those of an earlier chunk. */
  optimistic: OptimisticChunk<RowBuffer> | undefined;
  /** Progress once all earlier chunks are committed. Rejects if one of them fails. */
  previousCommit: Promise<Progress>;
}

/**
 * Writes the lines of an import's run, one transaction per chunk. Several chunks are written concurrently;
 * they commit in order.
 * @throws {AppError} IMPORT_TAKEN_OVER if a later run has taken the import over, OVERLOADED if other writers
 * keep changing the same users
 */
export class ChunkWriter implements ChunkImporter<RowBuffer> {
  readonly #deps: ImportDeps;
  readonly #options: ImporterOptions;
  /** Resolves once the newest chunk is committed. */
  #progress: Promise<Progress>;
  readonly #seed = randomSeed();
  /** E-mails, identities and external ids of the users in chunks that are not committed yet. */
  readonly #keysInFlight = new Set<Fingerprints>();
  /** If the last chunk had existing users, the next chunk probably has some, too. */
  #expectsConflicts = false;
  /** Resolves when the newest chunk may take a database connection. */
  #mayWrite: Promise<unknown> = Promise.resolve();

  readonly #deferred = new DeferredLines();
  readonly #isMatching: boolean;

  constructor(deps: ImportDeps, options: ImporterOptions) {
    this.#deps = deps;
    this.#options = options;
    this.#isMatching = options.matchBy === 'externalId';
    this.#progress = Promise.resolve(options.run.progress);
  }

  openOptimistic(firstLine: number): OptimisticChunk<RowBuffer> | undefined {
    if (this.#expectsConflicts) return undefined;
    const { imports, vault, now } = this.#deps;
    const { read } = this.#options;
    const rows = imports.rowBuffer();
    return new OptimisticChunk(firstLine, {
      ...{ rows, seed: this.#seed, read, dryRun: false, vault, now: now() },
      needsExternalId: this.#isMatching,
    });
  }

  async import(chunk: LineChunk<RowBuffer>, lines: ParsedLines): Promise<ChunkResult> {
    const keys = chunk.optimistic?.keys ?? fingerprintsOf(lines.keys(), this.#seed);
    // A chunk with the same users as an uncommitted earlier chunk must see the result of the earlier one.
    const overlaps = [...this.#keysInFlight].some((before) => keys.overlaps(before));
    this.#keysInFlight.add(keys);
    const isNew = chunk.optimistic?.keys !== undefined && !overlaps;
    // The compared keys lack the addresses that users of earlier chunks give up, so a chunk that changes
    // existing users must always wait.
    const mustFollow = overlaps || (this.#isMatching && !isNew);
    if (!isNew) chunk.optimistic?.rows.release();
    const job = {
      chunk,
      lines,
      optimistic: isNew ? chunk.optimistic : undefined,
      previousCommit: this.#progress,
    };
    const mayWrite = this.#prepare(isNew ? [] : lines.users(), mustFollow ? job.previousCommit : undefined);
    const writing = mayWrite.then(() => this.#write(job));
    this.#progress = markHandled(writing.then(({ progress }) => progress));
    // If the chunk fails, its keys stay in `#keysInFlight`. No harm is done: a failure ends the run.
    const { result, metLogins } = await writing;
    this.#keysInFlight.delete(keys);
    this.#deferLines(job, result);
    this.#expectsConflicts = metLogins;
    for (const { hash, count } of result.sample) this.#deps.passwords.learn(hash, count);
    return result;
  }

  /**
   * Chunks take database connections in order: a chunk with a connection waits for the commit of earlier
   * chunks, so the earlier ones must already have theirs.
   */
  #prepare(parsedUsers: readonly ParsedUser[], previousCommit: Promise<unknown> | undefined): Promise<void> {
    const { signal, hashing } = this.#options;
    const chunkBefore = this.#mayWrite;
    const mayWrite = hashPasswords(this.#deps.passwords, parsedUsers, { signal, limit: hashing }).then(
      async () => {
        await Promise.all([previousCommit, chunkBefore]);
      },
    );
    this.#mayWrite = markHandled(mayWrite);
    return mayWrite;
  }

  async #write(job: Job): Promise<Resolved & { progress: Progress }> {
    const endStep = await this.#deps.pace.beginStep();
    try {
      return await this.#deps.imports.session((session) => this.#writeInOrder(session, job, endStep));
    } finally {
      endStep();
    }
  }

  /** Earlier chunks are committed before the second attempt. */
  #writeInOrder(session: ChunkSession, job: Job, endStep: () => void) {
    const attemptToWrite = (attempt: number) => {
      const isNext = attempt > 1;
      return session.transaction(
        async (transaction) => {
          const resolved = await this.#writeRows(transaction, job, attempt);
          // The chunk only waits to commit, so the pace of bulk work may let another chunk be written.
          endStep();
          const waitMs = COMMIT_WAIT_MS * this.#deps.imports.chunkScale;
          const before = await (isNext ? job.previousCommit : inTime(job.previousCommit, waitMs));
          return { ...resolved, progress: await this.#record(transaction, job.chunk, before, resolved) };
        },
        { patient: isNext },
      );
    };
    return retry(attemptToWrite, async (error, attempt) => {
      // Later chunks may be waiting for this one, so further attempts do not wait for their turn in bulk
      // work.
      endStep();
      if (!(error instanceof Contended) || attempt >= MAX_ATTEMPTS) return undefined;
      await job.previousCommit;
      return 0;
    });
  }

  async #writeRows(transaction: ChunkTransaction, { optimistic, lines, chunk }: Job, attempt: number) {
    if (optimistic !== undefined && attempt === 1) {
      await transaction.copyRows(optimistic.rows.encoded());
      optimistic.rows.release();
      return { result: optimistic.takeResult(), metLogins: false };
    }
    const { run } = this.#options;
    const { writeSet, metLogins } = this.#isMatching
      ? await this.#match(transaction, lines)
      : await this.#resolve(transaction, lines);
    await transaction.apply(run.importId, writeSet, { inKeyOrder: attempt > 1 });
    return { result: resultOf(writeSet, chunk.firstLine), metLogins };
  }

  async #resolve(transaction: ChunkTransaction, lines: ParsedLines) {
    const existing = await transaction.lockExisting(lines.keys());
    const metLogins = hasLogins(existing);
    const { writeSet } = new LineResolver(existing, this.#resolveOptions()).addAll(lines.all());
    return { writeSet, metLogins };
  }

  async #match(transaction: ChunkTransaction, lines: ParsedLines) {
    const known = await transaction.readKnown(lines.keys(), this.#options.source);
    const metLogins = hasUsers(known);
    const writeSet = new MatchResolver(known, this.#resolveOptions()).addAll(lines.all()).finish();
    this.#deferred.limit(writeSet.outcomes, lines.sizeOf);
    return { writeSet, metLogins };
  }

  #resolveOptions(): ResolveOptions {
    const { fingerprints, vault, now } = this.#deps;
    const { onConflict, trustExternalIds } = this.#options;
    return { onConflict, trustExternalIds, fingerprints, dryRun: false, vault, now: now() };
  }

  #deferLines({ chunk, lines }: Job, { recordedOutcomes }: ChunkResult): void {
    if (this.#isMatching) this.#deferred.addFrom(recordedOutcomes, chunk.firstLine, lines);
  }

  defer(line: DeferredLine): void {
    this.#deferred.add(line, 0);
  }

  async forget(): Promise<void> {}

  async settle(): Promise<Pick<ChunkResult, 'report' | 'counts'> | undefined> {
    const lines = this.#deferred.unsettled();
    const outcomes = lines.length === 0 ? new Map<number, Outcome>() : await this.#settleLines(lines);
    const all = this.#deferred.all();
    return all.length === 0 ? undefined : settledReport(all, outcomes);
  }

  async #settleLines(lines: readonly DeferredLine[]): Promise<ReadonlyMap<number, Outcome>> {
    const { run, signal, hashing, source } = this.#options;
    const users = usersOf(lines);
    await hashPasswords(this.#deps.passwords, users, { signal, limit: hashing });
    const keys = keysOf(users);
    const before = await this.#progress;
    const endStep = await this.#deps.pace.beginStep();
    const attempt = (session: ChunkSession) =>
      session.transaction(
        async (transaction) => {
          const known = await transaction.readKnown(keys, source);
          const parsed = lines.map((one) => one.parsed);
          const writeSet = new MatchResolver(known, this.#resolveOptions()).settle(parsed).finish();
          await transaction.apply(run.importId, writeSet, { inKeyOrder: true });
          const result = settledResult(writeSet, lines);
          const progress = advance(before, before.nextLine, result);
          await this.#recordChunk(transaction, result, { firstLine: before.nextLine, lines: 0 }, progress);
          return { result, progress };
        },
        { patient: true },
      );
    try {
      const { result, progress } = await this.#deps.imports.session((session) =>
        retry(
          () => attempt(session),
          upTo(MAX_ATTEMPTS, (error) => error instanceof Contended),
        ),
      );
      this.#progress = Promise.resolve(progress);
      return new Map(result.recordedOutcomes);
    } finally {
      endStep();
    }
  }

  async #record(
    transaction: ChunkTransaction,
    chunk: LineChunk,
    before: Progress,
    { result }: Resolved,
  ): Promise<Progress> {
    const progress = advance(before, chunk.nextLine, result);
    const { firstLine, size } = chunk;
    await this.#recordChunk(transaction, result, { firstLine, lines: size, marks: chunk.marks() }, progress);
    return progress;
  }

  /** @param marks marks of the lines; undefined for deferred lines, whose marks are already recorded */
  async #recordChunk(
    transaction: ChunkTransaction,
    result: Pick<ChunkResult, 'ids' | 'recordedOutcomes' | 'failures'>,
    { firstLine, lines, marks }: { firstLine: number; lines: number; marks?: Buffer },
    progress: Progress,
  ): Promise<void> {
    const { run } = this.#options;
    const sealedMarks = this.#deps.seal.seal({ importId: run.importId, firstLine }, marks ?? Buffer.alloc(0));
    const isRecorded = await transaction.recordChunk(run, {
      firstLine,
      lines,
      sealedMarks,
      firstUserId: result.ids.first,
      lastUserId: result.ids.last,
      outcomes: result.recordedOutcomes,
      failures: result.failures,
      progress,
      ...(marks === undefined && { settles: true as const }),
    });
    if (isRecorded) return;
    throw new AppError('IMPORT_TAKEN_OVER', 'Another request has taken this import over');
  }

  progress(): Promise<Progress> {
    return this.#progress;
  }

  async close(): Promise<void> {}
}

/** @throws {Contended} after `waitMs` milliseconds, so that this attempt rolls back and releases its locks */
async function inTime<T>(previousCommit: Promise<T>, waitMs: number): Promise<T> {
  const progress = await within(waitMs, previousCommit);
  if (progress === undefined) throw new Contended(new Error('the chunk before it was not committed in time'));
  return progress;
}
