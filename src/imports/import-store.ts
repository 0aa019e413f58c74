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

/**
 * Run of an import: one request that sends its lines. Only the latest run may write; writes of earlier runs
 * are refused.
 */
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
  /**
   * Encrypted marks by which a resumed import recognises the lines. Older versions of the service wrote none.
   */
  sealedMarks: Buffer | undefined;
  firstUserId: string;
  /** Outcomes by line index in the chunk. A line without an entry was blank or created a user. */
  outcomes: Map<number, Outcome>;
}

/** Record of a chunk, written in the same transaction as the users of the chunk. */
export interface ChunkRecord {
  firstLine: number;
  lines: number;
  /** See stream/sealed-marks.ts. */
  sealedMarks: Buffer;
  /** Smallest possible id of a user created by the chunk. `lastUserId` is the greatest. */
  firstUserId: string;
  lastUserId: string;
  outcomes: readonly RecordedOutcome[];
  failures: LineFailures;
  progress: Progress;
  /**
   * Whether the chunk decides deferred lines at the end of the import. Such a chunk has no lines of its own,
   * and its `outcomes` have line numbers instead of line indexes.
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

/**
 * Rows of new users that a dry run would write, and their keys, by which the dry run finds existing users.
 */
export interface DryRunRows extends RowSink {
  encoded(): { keys: LoginKeys; rows: EncodedRows };
}

export interface ChunkTransaction {
  /** Copies the rows. The buffers may be reused once the promise resolves. */
  copyRows(rows: readonly EncodedRows[]): Promise<void>;
  /** Returns the stored logins with these keys, and locks them until the transaction ends. */
  lockExisting(keys: LoginKeys): Promise<ExistingLogins>;
  /**
   * Returns the users with these external ids, and the logins with the other keys. Locks nothing: `apply`
   * fails if a user that it changes has changed since.
   */
  readKnown(keys: LoginKeys, source: string | undefined): Promise<KnownUsers>;
  /**
   * @param inKeyOrder writes rows in the order of their keys, so that two writers of the same rows cannot
   * deadlock
   */
  apply(importId: string, writeSet: WriteSet, options: { inKeyOrder: boolean }): Promise<void>;
  /** Returns false if the import is not at the chunk's first line, or if a later run has taken it over. */
  recordChunk(run: Run, chunk: ChunkRecord): Promise<boolean>;
}

/** Database connection reserved for the attempts to write one chunk. */
export interface ChunkSession {
  /**
   * Runs `work` in a transaction.
   * @param patient waits for locks of other transactions without limit; otherwise only briefly
   * @throws {Contended} if other transactions write the same users; the whole transaction may then be retried
   */
  transaction<T>(
    work: (transaction: ChunkTransaction) => Promise<T>,
    options: { patient: boolean },
  ): Promise<T>;
}

/**
 * Session of a dry run. It sees the stored users and the users that earlier lines of the dry run would have
 * written. It takes one chunk at a time, and holds neither a connection nor a transaction between chunks.
 */
export interface DryRunSession {
  rows(): DryRunRows;
  /**
   * If all users are new, remembers them as created by the dry run. Otherwise remembers none, and returns
   * false.
   */
  keepNew(rows: DryRunRows): Promise<boolean>;
  resolve(keys: LoginKeys, resolve: (existing: ExistingLogins) => WriteSet): Promise<WriteSet>;
  match(
    keys: LoginKeys,
    source: string | undefined,
    resolve: (known: KnownUsers) => MatchResolver,
  ): Promise<WriteSet>;
  /**
   * Records that the import would remove these users, so that later lines of the dry run find their addresses
   * and identities free.
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
  /**
   * E-mail addresses of the password logins. `identities` has the keys (`identityKey`) of the other logins.
   */
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
  /**
   * Yields users whom earlier imports of the source created and who have an external id, some thousand at a
   * time.
   */
  earlierUsers(
    run: Run,
    source: string,
    isWanted: (userId: string) => boolean,
  ): AsyncGenerator<readonly EarlierUser[]>;
  /**
   * Removes the users, unless they are active and `keepsActive` is true. Returns the ids of the removed
   * users, or undefined if a later run has taken the import over.
   */
  removeMissing(
    run: Run,
    userIds: readonly string[],
    options: { keepsActive: boolean },
  ): Promise<ReadonlySet<string> | undefined>;
  recordMissing(run: Run, counts: MissingCounts): Promise<void>;
  /** Returns the outcomes of deferred lines that earlier runs decided, by line number. */
  settledOutcomes(importId: string): Promise<ReadonlyMap<number, Outcome>>;
  rowBuffer(): RowBuffer;
  /** Reserves a database connection while `work` runs. */
  session<T>(work: (session: ChunkSession) => Promise<T>): Promise<T>;
  openDryRun(): DryRunSession;
  /**
   * Records the progress, and the lines that failed since the last call. Does nothing if a later run has
   * taken the import over.
   * @param settles whether the lines are deferred ones. Failed lines after them may have been recorded
   * already
   */
  recordDryRun(run: Run, progress: Progress, failures: LineFailures, settles?: boolean): Promise<void>;
  /** Does nothing if a later run has taken the import over. */
  end(run: Run, result: { ms: number; isFinished: boolean; progress?: Progress }): Promise<void>;
}
