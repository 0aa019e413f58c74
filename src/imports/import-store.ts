import type { ImportHistory } from './history/import-history.ts';
import type { ImportRequest } from './import-request.ts';
import type { ExistingLogins } from './resolve/existing-logins.ts';
import type { HashCounts } from './resolve/hash-counts.ts';
import type { FailureCounts, LineFailures } from './resolve/line-failures.ts';
import type { LoginKeys } from './resolve/login-keys.ts';
import type { Outcome, OutcomeCounts } from './resolve/outcome.ts';
import type { NewRows, WriteSet } from './resolve/write-set.ts';

/** How far an import has come. */
export interface Progress {
  /** Every line before this one is done. */
  nextLine: number;
  outcomes: OutcomeCounts;
  failures: FailureCounts;
  algorithms: Record<string, number>;
  hashes: HashCounts;
}

/** A run of an import. Only the latest run may write: an older one that still has lines in hand is refused. */
export interface Run {
  importId: string;
  owner: string;
  /** Progress of earlier runs. */
  progress: Progress;
}

/** Why an import that exists cannot be taken up. */
export type NotBegun = 'other-options' | 'rolled-back' | 'expired';

/** An outcome that does not follow from the text of its line and its index in the chunk. */
export type RecordedOutcome = [lineIndex: number, outcome: Outcome];

/** Lines that an earlier run did, and what it reported. */
export interface RecordedChunk {
  firstLine: number;
  lines: number;
  /** The marks of the lines, sealed. Undefined where a version before this one recorded the chunk. */
  sealedMarks: Buffer | undefined;
  firstUserId: string;
  /** Outcomes by line index. A line without an outcome was blank, or created a user. */
  outcomes: Map<number, Outcome>;
}

/** Record of a chunk, made in the transaction that writes the chunk. */
export interface ChunkRecord {
  firstLine: number;
  lines: number;
  /** The marks of the lines, sealed (stream/sealed-marks.ts). */
  sealedMarks: Buffer;
  /** No id of a user that the chunk created lies outside the two. */
  firstUserId: string;
  lastUserId: string;
  outcomes: readonly RecordedOutcome[];
  failures: LineFailures;
  /** How far the import is with this chunk. */
  progress: Progress;
}

/** Rows of one table, in the form in which the database takes them. */
export interface EncodedRows {
  /** The statement of the store that takes them. */
  statement: string;
  rows: Buffer;
  count: number;
}

/** Takes the rows of new users, and keeps them as bytes. */
export interface RowSink {
  add(rows: NewRows): void;
  /** Gives the memory back for others to use. Nothing may be done with it afterwards. */
  release(): void;
}

/** New rows that are to be written. */
export interface RowBuffer extends RowSink {
  /** A view of the memory: not to be looked at once that is released. */
  encoded(): EncodedRows[];
}

/** Rows that a dry run would write, and whom they would meet if they were not new. */
export interface DryRunRows extends RowSink {
  encoded(): { keys: LoginKeys; rows: EncodedRows };
}

/** One attempt to write a chunk: all of it or nothing. */
export interface ChunkTransaction {
  /** Writes new rows. They are not looked at any more when this resolves. */
  copyRows(rows: readonly EncodedRows[]): Promise<void>;
  /** Returns the logins stored under these keys, and locks them until the transaction ends. */
  lockExisting(keys: LoginKeys): Promise<ExistingLogins>;
  /** @param inKeyOrder writes rows by order of their key: two writers who meet in several cannot wait for each other */
  apply(importId: string, writeSet: WriteSet, options: { inKeyOrder: boolean }): Promise<void>;
  /** Moves the import past this chunk. Returns false when it is not at its first line, or no longer this run's. */
  recordChunk(run: Run, chunk: ChunkRecord): Promise<boolean>;
}

/** A connection that is lent for the attempts to write one chunk. */
export interface ChunkSession {
  /**
   * @param patient waits for locks of others as long as it takes; else for a moment only
   * @throws {Contended} when others write the same users: the whole transaction may be tried again
   */
  transaction<T>(
    work: (transaction: ChunkTransaction) => Promise<T>,
    options: { patient: boolean },
  ): Promise<T>;
}

/**
 * Sees what is stored, and what its own lines before would have written. Takes one chunk at a time, and holds neither a
 * connection nor a transaction between two.
 */
export interface DryRunSession {
  rows(): DryRunRows;
  /** Remembers these users as created, where all of them are new; returns false where any is not. */
  keepNew(rows: DryRunRows): Promise<boolean>;
  resolve(keys: LoginKeys, resolve: (existing: ExistingLogins) => WriteSet): Promise<WriteSet>;
  /** Forgets what the lines would have written. */
  close(): Promise<void>;
}

/** Stores imports. Throws AppError STORAGE_UNAVAILABLE while the database cannot be reached. */
export interface ImportStore extends ImportHistory {
  /** How many times as large as usual a chunk should be: what a transaction costs, beside its rows, differs by database. */
  readonly chunkScale: number;
  /** Begins the import, or takes it over. */
  begin(request: ImportRequest): Promise<Run | NotBegun>;
  /** The lines done before, in order, a chunk at a time. */
  recordedChunks(importId: string): AsyncGenerator<RecordedChunk>;
  rowBuffer(): RowBuffer;
  /** Lends a connection to `work`. */
  session<T>(work: (session: ChunkSession) => Promise<T>): Promise<T>;
  openDryRun(): DryRunSession;
  /** Records how far a dry run came, and lines that failed since the last call. Does nothing when another run has the import now. */
  recordDryRun(run: Run, progress: Progress, failures: LineFailures): Promise<void>;
  /**
   * Records how long the run took and whether it came to the end; and how far it came, where that is known. Does nothing when another run has the import now.
   */
  end(run: Run, result: { ms: number; isFinished: boolean; progress?: Progress }): Promise<void>;
}
