import { AppError } from '../errors.ts';
import type { Passwords } from '../hashing/passwords.ts';
import type { BulkPace } from './bulk-pace.ts';
import type { Candidate } from './candidate.ts';
import { ChunkDraft } from './chunk-draft.ts';
import { fingerprintsOf, keysOf } from './chunk-keys.ts';
import { advance, type ChunkResult, resultOf } from './chunk-result.ts';
import type { ConcurrencyLimit } from './concurrency-limit.ts';
import type { Fingerprints } from './fingerprints.ts';
import { hashPasswords } from './hash-passwords.ts';
import { quiet } from './in-order.ts';
import type { RawLine } from './line-splitter.ts';
import { type ChunkLine, isCandidate, type OnConflict, planChunk } from './plan-chunk.ts';
import type { RawChunk } from './raw-chunk.ts';
import type { ChunkWrite, ImportStore, Progress, Run, WrittenChunk } from './store.ts';

export interface ImportDeps {
  imports: ImportStore;
  pace: BulkPace;
  passwords: Passwords;
  now(): number;
}

/** Carries out the chunks of one run, which must be given in order; some may be at work at once. */
export interface ChunkImporter {
  /** For the chunk that begins with this line. */
  draft(firstLine: number): ChunkDraft | undefined;
  import(chunk: RawChunk): Promise<ChunkResult>;
  /** How far the import has come, once all that was begun is done. Rejects when some of it failed. */
  progress(): Promise<Progress>;
  close(): Promise<void>;
}

export interface ImporterOptions {
  run: Run;
  onConflict: OnConflict;
  read(line: RawLine): ChunkLine;
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

  draft(firstLine: number): ChunkDraft | undefined {
    if (this.#expectsConflicts) return undefined;
    const { imports, now } = this.#deps;
    const { read } = this.#options;
    return new ChunkDraft(firstLine, { rows: imports.draftRows(), read, dryRun: false, now: now() });
  }

  async import(chunk: RawChunk): Promise<ChunkResult> {
    const { draft, nextLine } = chunk;
    const lines = new ReadLines(chunk, this.#options.read);
    const draftedKeys = draft?.keys;
    const keys = draftedKeys ?? fingerprintsOf(lines.keys());
    // The same user here and in a chunk before: this one must see what that one makes of it.
    const overlaps = [...this.#keys].some((before) => keys.overlaps(before));
    this.#keys.add(keys);
    const isDrafted = draftedKeys !== undefined && !overlaps;
    if (!isDrafted) draft?.rows.discard();
    const turn = this.#progress;
    const isReady = this.#prepare(
      isDrafted ? [] : lines.candidates(),
      overlaps ? turn : undefined,
      this.#isReady,
    );
    this.#isReady = quiet(isReady);
    const writing = isReady.then(() =>
      this.#write({
        firstLine: chunk.firstLine,
        nextLine,
        digests: chunk.digests(),
        draft: draft && isDrafted ? { rows: draft.rows, result: draft.takeResult() } : undefined,
        keys: () => lines.keys(),
        plan: (known) => {
          const { now } = this.#deps;
          const plan = planChunk(lines.all(), known, {
            onConflict: this.#options.onConflict,
            dryRun: false,
            now: now(),
          });
          return { plan, result: resultOf(plan, chunk.firstLine) };
        },
        beginStep: () => this.#deps.pace.beginStep(),
        advance: (before, result) => advance(before, nextLine, result),
        turn,
      }),
    );
    this.#progress = quiet(writing.then(({ progress }) => progress));
    // One that fails ends the run, so its keys need not go.
    const { result, metUsers } = await writing;
    this.#keys.delete(keys);
    this.#expectsConflicts = metUsers;
    for (const { hash, count } of result.sample) this.#deps.passwords.learn(hash, count);
    return result;
  }

  async #prepare(candidates: readonly Candidate[], ...others: readonly (Promise<unknown> | undefined)[]) {
    const { signal, hashing } = this.#options;
    await hashPasswords(this.#deps.passwords, candidates, signal, hashing);
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
export class ReadLines {
  readonly #chunk: RawChunk;
  readonly #read: (line: RawLine) => ChunkLine;
  #lines: ChunkLine[] | undefined;

  constructor(chunk: RawChunk, read: (line: RawLine) => ChunkLine) {
    this.#chunk = chunk;
    this.#read = read;
  }

  all(): readonly ChunkLine[] {
    this.#lines ??= this.#chunk.lines().map(this.#read);
    return this.#lines;
  }

  candidates(): Candidate[] {
    return this.all().filter(isCandidate);
  }

  keys() {
    return keysOf(this.candidates());
  }
}
