import { setTimeout as sleep } from 'node:timers/promises';
import { markHandled } from '../../lib/async/map-in-order.ts';
import { retry } from '../../lib/async/retry.ts';
import { AppError, Contended } from '../../lib/errors.ts';
import type { ChunkSession, ChunkTransaction, Progress, RowBuffer } from '../import-store.ts';
import type { ParsedUser } from '../input/parsed-user.ts';
import { hasLogins } from '../resolve/existing-logins.ts';
import { type Fingerprints, randomSeed } from '../resolve/fingerprints.ts';
import { hashPasswords } from '../resolve/hash-passwords.ts';
import { fingerprintsOf } from '../resolve/login-keys.ts';
import { resolveLines } from '../resolve/resolve-lines.ts';
import type { ChunkImporter, ImportDeps, ImporterOptions } from './chunk-importer.ts';
import { advance, type ChunkResult, resultOf } from './chunk-result.ts';
import type { LineChunk } from './line-chunk.ts';
import { OptimisticChunk } from './optimistic-chunk.ts';
import { ParsedLines } from './parsed-lines.ts';

/** Others may create the same users between a look and the write. Each attempt meets only those who write at that moment. */
const MAX_ATTEMPTS = 50;

/**
 * How long a chunk that is not the next to commit may hold what it wrote, in ms. It waits for the chunk before it, that one
 * perhaps for a lock of another import, and that import for this chunk: no deadlock check of Postgres can see the circle.
 * Chunks of more lines take longer, so they are waited for longer (`chunkScale`): less than the transaction may be idle.
 */
const COMMIT_WAIT_MS = 2000;

/** The result of one attempt, before it is recorded. */
interface Resolved {
  result: ChunkResult;
  /** Some lines met logins that were stored already. */
  metLogins: boolean;
}

interface Job {
  chunk: LineChunk<RowBuffer>;
  lines: ParsedLines;
  /** Undefined where the chunk cannot be written as it was resolved on the way in. */
  optimistic: OptimisticChunk<RowBuffer> | undefined;
  /** Resolves to the progress once all lines before this chunk are committed; rejects when they never will be. */
  previousCommit: Promise<Progress>;
}

/**
 * Writes the lines of a run, a transaction a chunk. Several chunks are written at once; they commit in order.
 * @throws {AppError} IMPORT_TAKEN_OVER when another run has the import now, OVERLOADED when others keep writing its users
 */
export class ChunkWriter implements ChunkImporter<RowBuffer> {
  readonly #deps: ImportDeps;
  readonly #options: ImporterOptions;
  /** With the chunk that was given last. */
  #progress: Promise<Progress>;
  readonly #seed = randomSeed();
  /** Keys of the users in chunks that are being written. */
  readonly #keysInFlight = new Set<Fingerprints>();
  /** The chunk that was written last met logins that are stored: the next one hardly has new users only. */
  #expectsConflicts = false;
  /** When the chunk that was given last may ask for a connection. */
  #mayWrite: Promise<unknown> = Promise.resolve();

  constructor(deps: ImportDeps, options: ImporterOptions) {
    this.#deps = deps;
    this.#options = options;
    this.#progress = Promise.resolve(options.run.progress);
  }

  openOptimistic(firstLine: number): OptimisticChunk<RowBuffer> | undefined {
    if (this.#expectsConflicts) return undefined;
    const { imports, now } = this.#deps;
    const { read } = this.#options;
    const rows = imports.rowBuffer();
    return new OptimisticChunk(firstLine, { rows, seed: this.#seed, read, dryRun: false, now: now() });
  }

  async import(chunk: LineChunk<RowBuffer>): Promise<ChunkResult> {
    const lines = new ParsedLines(chunk, this.#options.read);
    const keys = chunk.optimistic?.keys ?? fingerprintsOf(lines.keys(), this.#seed);
    // A user who also is in a chunk before: this chunk must see what that one makes of it.
    const overlaps = [...this.#keysInFlight].some((before) => keys.overlaps(before));
    this.#keysInFlight.add(keys);
    const isNew = chunk.optimistic?.keys !== undefined && !overlaps;
    if (!isNew) chunk.optimistic?.rows.release();
    const job = {
      chunk,
      lines,
      optimistic: isNew ? chunk.optimistic : undefined,
      previousCommit: this.#progress,
    };
    const mayWrite = this.#prepare(isNew ? [] : lines.users(), overlaps ? job.previousCommit : undefined);
    const writing = mayWrite.then(() => this.#write(job));
    this.#progress = markHandled(writing.then(({ progress }) => progress));
    // A chunk that fails ends the run: its keys need not go.
    const { result, metLogins } = await writing;
    this.#keysInFlight.delete(keys);
    this.#expectsConflicts = metLogins;
    for (const { hash, count } of result.sample) this.#deps.passwords.learn(hash, count);
    return result;
  }

  /**
   * Resolves when the chunk may be written. Chunks take their connections in order: one that has a connection waits there
   * for the chunks before it, so none of those may still be waiting for a connection.
   */
  #prepare(parsedUsers: readonly ParsedUser[], previousCommit: Promise<unknown> | undefined): Promise<void> {
    const { signal, hashing } = this.#options;
    const chunkBefore = this.#mayWrite;
    const mayWrite = hashPasswords(this.#deps.passwords, parsedUsers, signal, hashing).then(async () => {
      await Promise.all([previousCommit, chunkBefore]);
    });
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

  /** Repeats until the chunk is committed, after earlier chunks. From the second attempt on it is the next chunk to commit. */
  #writeInOrder(session: ChunkSession, job: Job, endStep: () => void) {
    const attemptToWrite = (attempt: number) => {
      const isNext = attempt > 1;
      return session.transaction(
        async (transaction) => {
          const resolved = await this.#writeRows(transaction, job, attempt);
          // Other chunks may be written while this one waits for its commit.
          endStep();
          const waitMs = COMMIT_WAIT_MS * this.#deps.imports.chunkScale;
          const before = await (isNext ? job.previousCommit : inTime(job.previousCommit, waitMs));
          return { ...resolved, progress: await this.#record(transaction, job.chunk, before, resolved) };
        },
        { patient: isNext },
      );
    };
    return retry(attemptToWrite, async (error, attempt) => {
      // Another attempt begins at once, without a step of its own: others may wait for this chunk.
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
    const { run, onConflict } = this.#options;
    const existing = await transaction.lockExisting(lines.keys());
    const metLogins = hasLogins(existing);
    const writeSet = resolveLines(lines.all(), existing, {
      onConflict,
      fingerprints: this.#deps.fingerprints,
      dryRun: false,
      now: this.#deps.now(),
    });
    await transaction.apply(run.importId, writeSet, { inKeyOrder: attempt > 1 });
    return { result: resultOf(writeSet, chunk.firstLine), metLogins };
  }

  async #record(
    transaction: ChunkTransaction,
    chunk: LineChunk,
    before: Progress,
    { result }: Resolved,
  ): Promise<Progress> {
    const { run } = this.#options;
    const { firstLine } = chunk;
    const progress = advance(before, chunk.nextLine, result);
    const sealedMarks = this.#deps.seal.seal({ importId: run.importId, firstLine }, chunk.marks());
    const isRecorded = await transaction.recordChunk(run, {
      firstLine,
      lines: chunk.size,
      sealedMarks,
      firstUserId: result.ids.first,
      lastUserId: result.ids.last,
      outcomes: result.recordedOutcomes,
      failures: result.failures,
      progress,
    });
    if (isRecorded) return progress;
    throw new AppError('IMPORT_TAKEN_OVER', 'Another request has taken this import over');
  }

  progress(): Promise<Progress> {
    return this.#progress;
  }

  async close(): Promise<void> {}
}

/** @throws {Contended} when it takes too long: the attempt gives up what it holds */
async function inTime<T>(previousCommit: Promise<T>, waitMs: number): Promise<T> {
  const timer = new AbortController();
  const late = sleep(waitMs, undefined, { signal: timer.signal }).then(() => {
    throw new Contended(new Error('the chunk before it was not committed in time'));
  });
  try {
    return await Promise.race([previousCommit, markHandled(late)]);
  } finally {
    timer.abort();
  }
}
