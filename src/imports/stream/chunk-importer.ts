import type { Passwords } from '../../hashing/passwords.ts';
import { type ConcurrencyLimit, markHandled } from '../../lib/async/map-ahead.ts';
import { retry, upTo, within } from '../../lib/async/until.ts';
import { Contended } from '../../lib/errors.ts';
import type { HashFingerprints } from '../../passwords/hash-fingerprint.ts';
import type { FactorVault } from '../../users/factor-vault.ts';
import type { BulkPace } from '../bulk-pace.ts';
import { DEFAULT_MATCH_BY, type ImportRequest } from '../import-request.ts';
import type { ChunkRecord, EarlierUser, ImportSink, ImportStore, Progress, Run } from '../import-store.ts';
import type { RawLine } from '../input/line-splitter.ts';
import type { ParsedLine } from '../input/parsed-user.ts';
import { hashPasswords, hasPlainTextPassword, setExampleHashes } from '../resolve/imported-hashes.ts';
import type { Outcome } from '../resolve/outcome.ts';
import { gainsLogin, hasKnown, type Known, keysOf, type LineKeys, shareKey } from '../resolve/person.ts';
import { type Decisions, type ResolveOptions, Resolver } from '../resolve/resolver.ts';
import { type LineChunk, OptimisticChunk, type ParsedLines } from './chunk-assembler.ts';
import {
  advance,
  type ChunkResult,
  type DeferredLine,
  DeferredLines,
  resultOf,
  settledReport,
  settledResult,
  usersOf,
} from './chunk-result.ts';
import type { MarkSeal } from './line-marks.ts';
import type { Fingerprints } from './repeated-ids.ts';

export interface ImportDeps {
  imports: ImportStore;
  pace: BulkPace;
  passwords: Passwords;
  vault: FactorVault;
  fingerprints: HashFingerprints;
  seal: MarkSeal;
  now(): number;
}

interface ImporterOptions {
  run: Run;
  request: ImportRequest;
  read(line: RawLine): ParsedLine;
  hashing: ConcurrencyLimit;
  signal?: AbortSignal | undefined;
}

/** Counts and outcomes of lines that are recorded together. */
type Result = Pick<ChunkResult, 'ids' | 'counts' | 'algorithms' | 'hashes' | 'recordedOutcomes' | 'failures'>;

/** Milliseconds for which a written chunk, or one with locks of its users, waits while the chunk before it is written. */
const MAX_WAIT_MS = 500;
/** Number of chunks that follow each other after such a wait was too long, or after decided users had changed. */
const CALM_CHUNKS = 16;

/** An attempt to decide and write a chunk fails if other transactions change the same users meanwhile. */
const MAX_ATTEMPTS = 50;

/** State of a chunk in progress, which the next chunk reads. */
class Turn {
  /** Keys of the users, if all of them seem to be new, so that the chunk begins with their creation. */
  readonly newKeys: Fingerprints | undefined;
  /** Settles when the chunk before has been written. */
  readonly before: Promise<unknown>;
  /**
   * Resolves to true when the chunk before has been written, and to false if this chunk runs ahead of it and the chunk
   * before must be decided again.
   */
  isBeforeWritten: Promise<boolean>;
  /** Whether the chunk has lost its locks or its new users. */
  isLost = false;
  /** Whether the chunk could not wait for the chunk before. */
  hasGivenUp = false;
  decided: (keys: LineKeys | undefined) => void = () => {};
  /**
   * Keys of the chunk, once its users are locked and decided. Undefined if the next chunk must not read its users
   * before this chunk is written.
   */
  readonly keys = new Promise<LineKeys | undefined>((resolve) => {
    this.decided = resolve;
  });
  #lose = () => {};
  readonly #lost = new Promise<boolean>((resolve) => {
    this.#lose = () => resolve(false);
  });

  constructor(newKeys: Fingerprints | undefined, before: Promise<unknown>) {
    this.newKeys = newKeys;
    this.before = before;
    this.isBeforeWritten = markHandled(before.then(() => true));
  }

  /** Lets this chunk be written while the one before is. */
  goAheadOf(turn: Turn): void {
    this.isBeforeWritten = markHandled(Promise.race([this.isBeforeWritten, turn.#lost]));
  }

  /** To be called when the chunk has lost its locks or its new users, because it must be decided again. */
  async lose(): Promise<void> {
    this.isLost = true;
    this.#lose();
    await this.before;
    this.isBeforeWritten = Promise.resolve(true);
  }
}

/**
 * Decides the lines of an import's run, and writes them, one chunk after the other. A chunk may be written in a
 * transaction of its own while the chunk before is still being written, and is recorded after it. If the chunk before
 * must be decided again, or takes too long, this chunk is rolled back, and repeated after it. The two must share no key.
 * In addition,
 *
 * - both have new users only,
 * - or both may have existing users, who are found by a login, neither changes users as a whole, and this one has no
 *   password to hash. The chunk before has all of its locks then, so it does not wait for this one. A chunk that also
 *   creates logins is written after the chunk before.
 */
export class ChunkImporter {
  readonly #deps: ImportDeps;
  readonly #options: ImporterOptions;
  readonly #sink: ImportSink;
  readonly #deferred = new DeferredLines();
  /** If the last chunk had existing users, the next chunk probably has some, too. */
  #expectsKnown = false;
  /** Number of the next chunks that will not be written ahead. */
  #calmChunks = 0;
  /** Turn of the last chunk. Undefined before the first. */
  #turn: Turn | undefined;
  /** After all chunks so far. */
  progress: Progress;

  constructor(deps: ImportDeps, options: ImporterOptions) {
    this.#deps = deps;
    this.#options = options;
    this.#sink = deps.imports.sink(options.run, options.request);
    this.progress = options.run.progress;
  }

  /** Returns undefined if recent chunks had existing users, because the result would probably be discarded. */
  openOptimistic(firstLine: number): OptimisticChunk | undefined {
    const rows = this.#expectsKnown ? undefined : this.#sink.rows();
    return (
      rows && new OptimisticChunk(firstLine, { rows, read: this.#options.read, ...this.#resolveOptions() })
    );
  }

  /**
   * Whether the next chunk may be written while the last one is. While HTTP calls arrive, or connections are few, other
   * work needs what it would occupy.
   */
  get writesTwo(): boolean {
    return this.#sink.canWriteTwo && this.#deps.pace.isUnlimited;
  }

  /** @param before settles when the chunk before has been written */
  async import(chunk: LineChunk, lines: ParsedLines, before: Promise<unknown>): Promise<ChunkResult> {
    const [turnBefore, turn] = [this.#turn, new Turn(chunk.optimistic?.keys, before)];
    this.#turn = turn;
    try {
      if (turnBefore && (await this.#isAhead(turn, lines, turnBefore))) turn.goAheadOf(turnBefore);
      else await before;
      let created = await this.#createAll(chunk, turn);
      if (turn.newKeys !== undefined && created === undefined) {
        await turn.lose();
        if (turn.hasGivenUp) created = await this.#createAll(chunk, turn);
        this.#expectsKnown = created === undefined;
      }
      const result = created ?? (await this.#decide(chunk, lines, turn));
      this.#deferred.addFrom(result.recordedOutcomes, chunk.firstLine, lines);
      return result;
    } finally {
      turn.decided(undefined);
    }
  }

  /** Returns whether a chunk can be written before the chunk before it is. */
  async #isAhead({ newKeys }: Turn, lines: ParsedLines, before: Turn): Promise<boolean> {
    if (before.isLost || (newKeys === undefined) !== (before.newKeys === undefined)) return false;
    const keysBefore = newKeys === undefined ? await before.keys : undefined;
    if (!this.writesTwo) return false;
    if (this.#calmChunks > 0) {
      this.#calmChunks -= 1;
      return false;
    }
    if (newKeys !== undefined && before.newKeys !== undefined) return !newKeys.overlaps(before.newKeys);
    // Chunks by external id are read without locks, so that a later one could miss an address that an earlier one frees.
    if (keysBefore === undefined || this.#options.request.matchBy === 'externalId') return false;
    const keys = lines.keys();
    const needsHashing = lines.users().some(({ methods }) => methods.some(hasPlainTextPassword));
    return !keys.changeUsers && !needsHashing && !shareKey(keys, keysBefore);
  }

  /** @throws {Contended} if the chunk before must be decided again, or takes too long */
  async #waitForBefore(turn: Turn): Promise<void> {
    const isWritten = await within(MAX_WAIT_MS, turn.isBeforeWritten);
    if (isWritten) return;
    turn.hasGivenUp = true;
    if (isWritten === undefined) this.#calmChunks = CALM_CHUNKS;
    throw new Contended(new Error('the chunk before is not written yet'));
  }

  /** Creates all users of a chunk. Returns undefined if not all of them are new. */
  async #createAll(chunk: LineChunk, turn: Turn): Promise<ChunkResult | undefined> {
    const { optimistic } = chunk;
    const result = optimistic?.result();
    if (optimistic === undefined || result === undefined) {
      optimistic?.rows.release();
      return undefined;
    }
    const { rows } = optimistic;
    const record = async () => {
      await this.#waitForBefore(turn);
      return this.#recordOf(chunk, result);
    };
    const recorded = await this.#deps.pace.step(() => this.#sink.create(rows, record));
    // Refused rows may still be on their way to PostgreSQL, so their memory is not released for other chunks.
    if (recorded === undefined) return undefined;
    rows.release();
    this.#finish(result, recorded);
    return result;
  }

  async #decide(chunk: LineChunk, lines: ParsedLines, turn: Turn): Promise<ChunkResult> {
    await this.#hash(lines.users());
    const keys = lines.keys();
    const decide = async (known: Known) => {
      this.#expectsKnown = hasKnown(known);
      const { decisions } = new Resolver(known, this.#resolveOptions()).addAll(lines.all());
      this.#deferred.limit(decisions.outcomes, lines.sizeOf);
      const result = resultOf(decisions, chunk.firstLine);
      turn.decided(keys.changeUsers ? undefined : keys);
      // New logins cannot be locked. Another transaction may have one that the chunk before creates, and wait for one of
      // this chunk.
      if (decisions.created.length > 0 || decisions.changed.some(gainsLogin)) await this.#waitForBefore(turn);
      const record = async () => {
        await this.#waitForBefore(turn);
        return this.#recordOf(chunk, result);
      };
      return { decisions, result, record };
    };
    return this.#write(keys, decide, () => {
      this.#calmChunks = CALM_CHUNKS;
      return turn.lose();
    });
  }

  /**
   * Writes what `decide` returns, which may be called again with newer users. Returns the result that was written.
   * @param beforeRepeat called before each further attempt, without locks
   */
  async #write<Decided extends Result & Pick<ChunkResult, 'sample'>>(
    keys: LineKeys,
    decide: (
      known: Known,
    ) => Promise<{ decisions: Decisions; result: Decided; record(): Promise<ChunkRecord> }>,
    beforeRepeat = async () => {},
  ): Promise<Decided> {
    const mayPass = upTo(MAX_ATTEMPTS, (error) => error instanceof Contended);
    const attempt = async () => {
      let result: Decided | undefined;
      const chunk = await this.#sink.decide(keys, async (known) => {
        const decided = await decide(known);
        result = decided.result;
        return decided;
      });
      if (result === undefined) throw new Error('lines were not decided');
      this.#finish(result, chunk);
      return result;
    };
    return this.#deps.pace.step(() =>
      retry(attempt, async (error, attempts) => {
        await beforeRepeat();
        return mayPass(error, attempts);
      }),
    );
  }

  /** Adds a line that an earlier run of the import deferred to the end. */
  defer(line: DeferredLine): void {
    this.#deferred.add(line, 0);
  }

  /** Frees the addresses of users whom the import would remove, for deferred lines of a dry run. */
  forget(users: readonly EarlierUser[]): Promise<void> {
    return this.#deps.pace.step(() => this.#sink.forget(users));
  }

  /** Decides the deferred lines. Returns undefined if no line was deferred. */
  async settle(): Promise<Pick<ChunkResult, 'report' | 'counts'> | undefined> {
    const lines = this.#deferred.unsettled();
    const outcomes = lines.length === 0 ? new Map<number, Outcome>() : await this.#settleLines(lines);
    const all = this.#deferred.all();
    return all.length === 0 ? undefined : settledReport(all, outcomes);
  }

  async #settleLines(lines: readonly DeferredLine[]): Promise<ReadonlyMap<number, Outcome>> {
    const users = usersOf(lines);
    await this.#hash(users);
    const { recordedOutcomes } = await this.#write(keysOf(users), async (known) => {
      const parsed = lines.map((one) => one.parsed);
      const { decisions } = new Resolver(known, this.#resolveOptions()).settle(parsed);
      const result = settledResult(decisions, lines);
      const place = { firstLine: this.progress.nextLine, nextLine: this.progress.nextLine, size: 0 };
      return { decisions, result, record: async () => ({ ...this.#recordOf(place, result), settles: true }) };
    });
    return new Map(recordedOutcomes);
  }

  /** A dry run uses an example hash for all plain-text passwords. */
  async #hash(users: Parameters<typeof hashPasswords>[1]): Promise<void> {
    const { request, signal, hashing } = this.#options;
    if (request.dryRun) setExampleHashes(this.#deps.passwords, users);
    else await hashPasswords(this.#deps.passwords, users, { signal, limit: hashing });
  }

  /**
   * Returns the record of a chunk. For deferred lines, it has no marks, because those are already recorded with their
   * own chunks.
   */
  #recordOf(
    {
      firstLine,
      nextLine,
      size,
      marks,
    }: Pick<LineChunk, 'firstLine' | 'nextLine' | 'size'> & Partial<LineChunk>,
    result: Result,
  ): ChunkRecord {
    const { importId } = this.#options.run;
    return {
      ...{ firstLine, lines: size },
      sealedMarks: this.#deps.seal.seal({ importId, firstLine }, marks ?? Buffer.alloc(0)),
      firstUserId: result.ids.first,
      lastUserId: result.ids.last,
      outcomes: result.recordedOutcomes,
      failures: result.failures,
      progress: advance(this.progress, nextLine, result),
    };
  }

  #finish({ sample }: Pick<ChunkResult, 'sample'>, { progress }: ChunkRecord): void {
    this.progress = progress;
    if (this.#options.request.dryRun) return;
    for (const { hash, count } of sample) this.#deps.passwords.learn(hash, count);
  }

  #resolveOptions(): ResolveOptions {
    const { fingerprints, vault, now } = this.#deps;
    const { onConflict, matchBy = DEFAULT_MATCH_BY, trustExternalIds, dryRun } = this.#options.request;
    return { onConflict, matchBy, trustExternalIds, dryRun, fingerprints, vault, now: now() };
  }

  async close(): Promise<void> {
    await this.#sink.flush().catch(() => {});
    await this.#sink.close();
  }

  flush(): Promise<void> {
    return this.#sink.flush();
  }
}
