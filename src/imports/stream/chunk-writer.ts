import type { Passwords } from '../../hashing/passwords.ts';
import type { ConcurrencyLimit } from '../../lib/async/concurrency-limit.ts';
import { markHandled } from '../../lib/async/map-in-order.ts';
import { AppError } from '../../lib/errors.ts';
import type { BulkPace } from '../bulk-pace.ts';
import type { ChunkWrite, ImportStore, Progress, Run, WrittenChunk } from '../import-store.ts';
import type { ParsedUser } from '../input/parsed-user.ts';
import type { Fingerprints } from '../resolve/fingerprints.ts';
import { hashPasswords } from '../resolve/hash-passwords.ts';
import { fingerprintsOf, keysOf } from '../resolve/login-keys.ts';
import { isParsedUser, type OnConflict, type ParsedLine, resolveLines } from '../resolve/resolve-lines.ts';
import { advance, type ChunkResult, resultOf } from './chunk-result.ts';
import type { LineChunk } from './line-chunk.ts';
import type { RawLine } from './line-splitter.ts';
import { OptimisticChunk } from './optimistic-chunk.ts';

export interface ImportDeps {
  imports: ImportStore;
  pace: BulkPace;
  passwords: Passwords;
  now(): number;
}

/** Carries out the chunks of one run, which must be given in order; some may be at work at once. */
export interface ChunkImporter {
  /** For the chunk that begins with this line. */
  openOptimistic(firstLine: number): OptimisticChunk | undefined;
  import(chunk: LineChunk): Promise<ChunkResult>;
  /** How far the import has come, once all that was begun is done. Rejects when some of it failed. */
  progress(): Promise<Progress>;
  close(): Promise<void>;
}

export interface ImporterOptions {
  run: Run;
  onConflict: OnConflict;
  read(line: RawLine): ParsedLine;
  /** Of the passwords that are hashed for this run. */
  hashing: ConcurrencyLimit;
  signal?: AbortSignal | undefined;
}

/** Writes the lines. @throws {AppError} IMPORT_TAKEN_OVER when another run has the import now */
export class ChunkWriter implements ChunkImporter {
  readonly #deps: ImportDeps;
  readonly #options: ImporterOptions;
  #progress: Promise<Progress>;
  /** Of the chunks that are at work. */
  readonly #keys = new Set<Fingerprints>();
  /** Some lines of the chunk that was written last met users that are stored. */
  #expectsConflicts = false;
  /** Chunks ask for a connection in order: one that holds it waits for those before it, which must not wait for it. */
  #isReady: Promise<unknown> = Promise.resolve();

  constructor(deps: ImportDeps, options: ImporterOptions) {
    this.#deps = deps;
    this.#options = options;
    this.#progress = Promise.resolve(options.run.progress);
  }

  openOptimistic(firstLine: number): OptimisticChunk | undefined {
    if (this.#expectsConflicts) return undefined;
    const { imports, now } = this.#deps;
    const { read } = this.#options;
    return new OptimisticChunk(firstLine, { rows: imports.rowBuffer(), read, dryRun: false, now: now() });
  }

  async import(chunk: LineChunk): Promise<ChunkResult> {
    const { optimistic, nextLine } = chunk;
    const lines = new ParsedLines(chunk, this.#options.read);
    const optimisticKeys = optimistic?.keys;
    const keys = optimisticKeys ?? fingerprintsOf(lines.keys());
    // The same user here and in a chunk before: this one must see what that one makes of it.
    const overlaps = [...this.#keys].some((before) => keys.overlaps(before));
    this.#keys.add(keys);
    const isOptimistic = optimisticKeys !== undefined && !overlaps;
    if (!isOptimistic) optimistic?.rows.discard();
    const previousCommit = this.#progress;
    const isReady = this.#prepare(
      isOptimistic ? [] : lines.parsedUsers(),
      overlaps ? previousCommit : undefined,
      this.#isReady,
    );
    this.#isReady = markHandled(isReady);
    const writing = isReady.then(() =>
      this.#write({
        firstLine: chunk.firstLine,
        nextLine,
        digests: chunk.digests(),
        optimistic:
          optimistic && isOptimistic ? { rows: optimistic.rows, result: optimistic.takeResult() } : undefined,
        keys: () => lines.keys(),
        resolve: (existing) => {
          const { now } = this.#deps;
          const writeSet = resolveLines(lines.all(), existing, {
            onConflict: this.#options.onConflict,
            dryRun: false,
            now: now(),
          });
          return { writeSet, result: resultOf(writeSet, chunk.firstLine) };
        },
        beginStep: () => this.#deps.pace.beginStep(),
        advance: (before, result) => advance(before, nextLine, result),
        previousCommit,
      }),
    );
    this.#progress = markHandled(writing.then(({ progress }) => progress));
    // One that fails ends the run, so its keys need not go.
    const { result, metUsers } = await writing;
    this.#keys.delete(keys);
    this.#expectsConflicts = metUsers;
    for (const { hash, count } of result.sample) this.#deps.passwords.learn(hash, count);
    return result;
  }

  async #prepare(parsedUsers: readonly ParsedUser[], ...others: readonly (Promise<unknown> | undefined)[]) {
    const { signal, hashing } = this.#options;
    await hashPasswords(this.#deps.passwords, parsedUsers, signal, hashing);
    await Promise.all(others);
  }

  async #write(chunk: ChunkWrite): Promise<WrittenChunk> {
    const written = await this.#deps.imports.writeChunk(this.#options.run, chunk);
    if (written !== 'taken-over') return written;
    throw new AppError('IMPORT_TAKEN_OVER', 'Another request has taken this import over');
  }

  progress(): Promise<Progress> {
    return this.#progress;
  }

  async close(): Promise<void> {}
}

/** What the lines of a chunk say; read when it is first asked for. */
export class ParsedLines {
  readonly #chunk: LineChunk;
  readonly #read: (line: RawLine) => ParsedLine;
  #lines: ParsedLine[] | undefined;

  constructor(chunk: LineChunk, read: (line: RawLine) => ParsedLine) {
    this.#chunk = chunk;
    this.#read = read;
  }

  all(): readonly ParsedLine[] {
    this.#lines ??= this.#chunk.lines().map(this.#read);
    return this.#lines;
  }

  parsedUsers(): ParsedUser[] {
    return this.all().filter(isParsedUser);
  }

  keys() {
    return keysOf(this.parsedUsers());
  }
}
