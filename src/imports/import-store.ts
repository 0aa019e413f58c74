import type { ThirdPartyIdentity } from '../users/user.ts';
import type { ImportHistory } from './history/import-history.ts';
import type { ExistingLogins } from './resolve/existing-logins.ts';
import type { Outcome, OutcomeCounts } from './resolve/outcome.ts';
import type { OnConflict } from './resolve/resolve-lines.ts';
import type { WriteSet } from './resolve/write-set.ts';
import type { ChunkResult } from './stream/chunk-result.ts';

/** What a caller asked for. */
export interface ImportRequest {
  importId: string;
  keyName: string;
  dryRun: boolean;
  onConflict: OnConflict;
}

/** How far an import has come. */
export interface Progress {
  /** Every line before this one is done. */
  nextLine: number;
  outcomes: OutcomeCounts;
  algorithms: Record<string, number>;
}

/** A run of an import. Only the latest run may write: an older one that still has lines in hand is refused. */
export interface Run {
  importId: string;
  owner: string;
  /** What earlier runs did. */
  progress: Progress;
}

/** Why an import that is there already cannot be taken up. */
export type NotBegun = 'other-options' | 'rolled-back' | 'expired';

/** What a chunk of lines may meet in the database. */
export interface ChunkKeys {
  emails: ReadonlySet<string>;
  /** By `identityKey`. */
  identities: ReadonlyMap<string, ThirdPartyIdentity>;
  externalIds: ReadonlySet<string>;
}

/** New rows, in the form in which the database takes them. */
export interface RowBuffer {
  add(rows: Pick<WriteSet, 'users' | 'passwordLogins' | 'thirdPartyLogins' | 'aliases'>): void;
  /** It will not be written. */
  discard(): void;
}

export interface ChunkWrite {
  firstLine: number;
  /** Of the chunk after it. */
  nextLine: number;
  /** Eight bytes a line. */
  digests: Buffer;
  /** What it comes to should all its users be new. Its rows are written at most once, and are not to be looked at after. */
  optimistic: { rows: RowBuffer; result: ChunkResult } | undefined;
  keys(): ChunkKeys;
  /** What it comes to otherwise. May be called several times: what is known can change until it is locked. */
  resolve(existing: ExistingLogins): { writeSet: WriteSet; result: ChunkResult };
  /** Waits until other work allows to write it. Resolves to what tells that its rows are written. */
  beginStep(): Promise<() => void>;
  /** How far the import is after that. */
  advance(before: Progress, result: ChunkResult): Progress;
  /** Resolves when all lines before this chunk are committed, with how far that is. Rejects when they never will be. */
  previousCommit: Promise<Progress>;
}

/** Lines that an earlier run did, and what it reported. */
export interface RecordedChunk {
  firstLine: number;
  lines: number;
  digests: Buffer;
  firstUserId: string;
  /** By place. A line that is missing here was blank, or a user was created. */
  outcomes: Map<number, Outcome>;
}

export interface WrittenChunk {
  result: ChunkResult;
  progress: Progress;
  /** Some lines met users that were stored already. */
  metUsers: boolean;
}

/** A dry run: sees what is stored and what its own lines before would have written. One chunk at a time. */
export interface DryRunSession {
  /** Remembers these users as created, where all of them are new; false where any is not. Rows of `dryRunRows`, once only. */
  keepNew(rows: RowBuffer): Promise<boolean>;
  resolve(keys: ChunkKeys, resolve: (existing: ExistingLogins) => WriteSet): Promise<WriteSet>;
  close(): Promise<void>;
}

/** Where imports are kept. Throws AppError STORAGE_UNAVAILABLE while the database cannot be reached. */
export interface ImportStore extends ImportHistory {
  /** Begins the import, or takes it over. */
  begin(request: ImportRequest): Promise<Run | NotBegun>;
  /** The lines done before, in order, a chunk at a time. */
  recordedChunks(importId: string): AsyncGenerator<RecordedChunk>;
  rowBuffer(): RowBuffer;
  /** Writes one chunk, all of it or nothing. `'taken-over'`: another run has the import now. */
  writeChunk(run: Run, chunk: ChunkWrite): Promise<WrittenChunk | 'taken-over'>;
  openDryRun(): Promise<DryRunSession>;
  /** For `DryRunSession.keepNew`. */
  dryRunRows(): RowBuffer;
  /**
   * Notes how long the run took and whether it came to the end; and how far it came, which of a dry run nothing else
   * tells. Does nothing when another run has the import now.
   */
  end(run: Run, result: { ms: number; isFinished: boolean; progress?: Progress }): Promise<void>;
}
