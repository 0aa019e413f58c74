import type { ImportHistory, MissingCounts } from './import-history.ts';
import type { ImportRequest } from './import-request.ts';
import type { HashCounts } from './resolve/imported-hashes.ts';
import type { FailureCounts, LineFailures, Outcome, OutcomeCounts } from './resolve/outcome.ts';
import type { Known, LineKeys, Person } from './resolve/person.ts';
import type { Decisions } from './resolve/resolver.ts';

export interface Progress {
  nextLine: number;
  outcomes: OutcomeCounts;
  failures: FailureCounts;
  algorithms: Record<string, number>;
  hashes: HashCounts;
}

/** One request that sends the lines of an import. Writes of all runs but the latest are refused. */
export interface Run {
  importId: string;
  owner: string;
  /** Progress of earlier runs of the import when this run began. */
  progress: Progress;
  missing?: (MissingCounts & { isDone: boolean }) | undefined;
}

export type NotBegun = 'other-options' | 'rolled-back' | 'expired';

/**
 * Outcome of a line that must be recorded, because it cannot be computed from the line's text and index. Only
 * `outcomeJson` may write it, which leaves out the hash.
 */
export type RecordedOutcome = [lineIndex: number, outcome: Outcome];

export interface RecordedChunk {
  firstLine: number;
  lines: number;
  /** Undefined if an older version of the service wrote the record. */
  sealedMarks: Buffer | undefined;
  firstUserId: string;
  /** Outcomes by line index in the chunk. A line without an entry was blank or created a user. */
  outcomes: Map<number, Outcome>;
}

/** Record of a chunk, written in the same transaction as the users of the chunk. */
export interface ChunkRecord {
  firstLine: number;
  lines: number;
  sealedMarks: Buffer;
  /** Smallest possible id of a user created by the chunk. `lastUserId` is the greatest. */
  firstUserId: string;
  lastUserId: string;
  outcomes: readonly RecordedOutcome[];
  failures: LineFailures;
  progress: Progress;
  /**
   * Whether the chunk decides deferred lines. Its `outcomes` then have line numbers instead of line indexes.
   */
  settles?: true;
}

/** Encodes the users of a chunk while its lines arrive, on the assumption that all of them are new. */
export interface RowSink {
  add(people: readonly Person[]): void;
  /** Frees the memory of the rows for other chunks. The sink must not be used afterwards. */
  release(): void;
}

/**
 * Writes the decisions about a run's lines, one chunk after the other. An import writes to the tables of users. A dry
 * run writes to a table of its own, which is read for later chunks of the run. No connection is held between chunks.
 */
export interface ImportSink {
  /** Whether two chunks may be written at the same time. */
  readonly canWriteTwo: boolean;
  /** Returns undefined if chunks cannot be written without knowing the stored users. */
  rows(): RowSink | undefined;
  /**
   * Creates the users of the rows, if all of them are new, and records the chunk, which `record` returns once the chunk
   * before is written.
   * @returns the record, or undefined if a user exists, is being created by somebody else, or `record` threw Contended:
   * nothing is written then
   * @throws {AppError} IMPORT_TAKEN_OVER if a later run has taken the import over
   */
  create(rows: RowSink, record: () => Promise<ChunkRecord>): Promise<ChunkRecord | undefined>;
  /**
   * Reads the stored users with these keys, writes what `decide` decides about them, and records the chunk, which
   * `record` returns once the chunk before is written. Returns the record.
   * @throws {Contended} if other transactions write the same users meanwhile; nothing is written then
   * @throws {AppError} IMPORT_TAKEN_OVER
   */
  decide(
    keys: LineKeys,
    decide: (known: Known) => Promise<{ decisions: Decisions; record(): Promise<ChunkRecord> }>,
  ): Promise<ChunkRecord>;
  /**
   * In a dry run, frees the addresses and identities of users whom the import would remove, so that later lines can use
   * them.
   */
  forget(users: readonly EarlierUser[]): Promise<void>;
  /** Writes records that are not written yet. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

export interface EarlierUser {
  userId: string;
  externalId: string;
  isActive: boolean;
  /** Whether the SuperTokens core has the user, who is then never removed here. */
  isInCore: boolean;
  /** Keys of the logins (`loginKey`). */
  keys: readonly string[];
}

/** Store of imports. Methods throw AppError STORAGE_UNAVAILABLE while the database cannot be reached. */
export interface ImportStore extends ImportHistory {
  /** Factor for the size of a chunk: larger on a database with a higher fixed cost of a transaction. */
  readonly chunkScale: number;
  sink(run: Run, request: ImportRequest): ImportSink;
  /** Begins or resumes an import. An earlier run that is still active can then write nothing more. */
  begin(request: ImportRequest): Promise<Run | NotBegun>;
  /** Yields the chunks of earlier runs, in the order of their lines. */
  recordedChunks(importId: string): AsyncGenerator<RecordedChunk>;
  findByExternalIds(externalIds: readonly string[]): Promise<string[]>;
  /** Yields users with an external id whom earlier imports of the source created, some thousand at a time. */
  earlierUsers(
    run: Run,
    source: string,
    isWanted: (userId: string) => boolean,
  ): AsyncGenerator<readonly EarlierUser[]>;
  /**
   * Removes missing users. Returns the ids of the removed users, or undefined if a later run has taken the import over.
   */
  removeMissing(
    run: Run,
    userIds: readonly string[],
    options: { keepsActive: boolean },
  ): Promise<ReadonlySet<string> | undefined>;
  recordMissing(run: Run, counts: MissingCounts): Promise<void>;
  /** Returns the outcomes of deferred lines that earlier runs decided, by line number. */
  settledOutcomes(importId: string): Promise<ReadonlyMap<number, Outcome>>;
  /** Records the end of a run. Does nothing if a later run has taken the import over. */
  end(run: Run, result: { ms: number; isFinished: boolean; progress?: Progress }): Promise<void>;
}
