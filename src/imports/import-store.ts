import type { ImportHistory, MissingCounts } from './history/import-history.ts';
import type { ImportRequest } from './import-request.ts';
import type { ExistingLogins } from './resolve/existing-logins.ts';
import type { HashCounts } from './resolve/hash-counts.ts';
import type { KnownUsers } from './resolve/known-users.ts';
import type { FailureCounts, LineFailures } from './resolve/line-failures.ts';
import type { LoginKeys } from './resolve/login-keys.ts';
import type { MatchResolver } from './resolve/match-resolver.ts';
import type { Outcome, OutcomeCounts } from './resolve/outcome.ts';
import type { NewRows, WriteSet } from './resolve/write-set.ts';

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

/** Outcome of a line that must be stored: it cannot be computed from the line's text and index. */
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

/** Rows of one table, in the text format of PostgreSQL's COPY. */
export interface EncodedRows {
  statement: string;
  rows: Buffer;
  count: number;
}

export interface RowSink {
  add(rows: NewRows): void;
  /** Gives the memory of the rows back to the buffer pool. The sink must not be used afterwards. */
  release(): void;
}

export interface RowBuffer extends RowSink {
  /** Returns the rows without copying them. They are invalid after `release`. */
  encoded(): EncodedRows[];
}

export interface DryRunRows extends RowSink {
  encoded(): { keys: LoginKeys; rows: EncodedRows };
}

export interface ChunkTransaction {
  /** Copies the rows. The buffers may be reused once the promise resolves. */
  copyRows(rows: readonly EncodedRows[]): Promise<void>;
  /** Returns the stored logins with these keys, and locks them until the transaction ends. */
  lockExisting(keys: LoginKeys): Promise<ExistingLogins>;
  /** Locks nothing: `apply` fails if a user that it changes has changed since. */
  readKnown(keys: LoginKeys, source: string | undefined): Promise<KnownUsers>;
  /** @param inKeyOrder prevents deadlocks of two writers of the same rows */
  apply(importId: string, writeSet: WriteSet, options: { inKeyOrder: boolean }): Promise<void>;
  /** Returns false if the import is not at the chunk's first line, or if a later run has taken it over. */
  recordChunk(run: Run, chunk: ChunkRecord): Promise<boolean>;
}

export interface ChunkSession {
  /**
   * @param patient waits for locks of other transactions without limit; otherwise only briefly
   * @throws {Contended} if other transactions write the same users; the whole transaction may then be retried
   */
  transaction<T>(
    work: (transaction: ChunkTransaction) => Promise<T>,
    options: { patient: boolean },
  ): Promise<T>;
}

/** Sees stored users and those that earlier lines would have written. Holds no connection between chunks. */
export interface DryRunSession {
  rows(): DryRunRows;
  /** Remembers the users as created by the dry run, if all of them are new. Otherwise returns false. */
  keepNew(rows: DryRunRows): Promise<boolean>;
  resolve(keys: LoginKeys, resolve: (existing: ExistingLogins) => WriteSet): Promise<WriteSet>;
  match(
    keys: LoginKeys,
    source: string | undefined,
    resolve: (known: KnownUsers) => MatchResolver,
  ): Promise<WriteSet>;
  /**
   * Frees the addresses and identities of users whom the import would remove, for later lines of the dry run.
   */
  remove(users: readonly EarlierUser[]): Promise<void>;
  close(): Promise<void>;
}

export interface EarlierUser {
  userId: string;
  externalId: string;
  isActive: boolean;
  /** Whether the SuperTokens core has the user, who is then never removed here. */
  isInCore: boolean;
  /** Addresses of password logins. `identities` has the keys (`identityKey`) of the other logins. */
  emails: readonly string[];
  identities: readonly string[];
}

/** Store of imports. Methods throw AppError STORAGE_UNAVAILABLE while the database cannot be reached. */
export interface ImportStore extends ImportHistory {
  /** Factor for the size of a chunk: larger on a database with a higher fixed cost of a transaction. */
  readonly chunkScale: number;
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
  /** Returns the ids of the removed users, or undefined if a later run has taken the import over. */
  removeMissing(
    run: Run,
    userIds: readonly string[],
    options: { keepsActive: boolean },
  ): Promise<ReadonlySet<string> | undefined>;
  recordMissing(run: Run, counts: MissingCounts): Promise<void>;
  /** Returns the outcomes of deferred lines that earlier runs decided, by line number. */
  settledOutcomes(importId: string): Promise<ReadonlyMap<number, Outcome>>;
  rowBuffer(): RowBuffer;
  session<T>(work: (session: ChunkSession) => Promise<T>): Promise<T>;
  openDryRun(): DryRunSession;
  /**
   * Does nothing if a later run has taken the import over.
   * @param failures lines that failed since the last call
   * @param settles whether the lines are deferred ones: failures after them may have been recorded already
   */
  recordDryRun(run: Run, progress: Progress, failures: LineFailures, settles?: boolean): Promise<void>;
  /** Does nothing if a later run has taken the import over. */
  end(run: Run, result: { ms: number; isFinished: boolean; progress?: Progress }): Promise<void>;
}
