import type { Passwords } from '../../hashing/passwords.ts';
import type { ConcurrencyLimit } from '../../lib/async/concurrency-limit.ts';
import type { HashFingerprints } from '../../passwords/hash-fingerprint.ts';
import type { FactorVault } from '../../users/factor-vault.ts';
import type { BulkPace } from '../bulk-pace.ts';
import type { MatchBy, OnConflict } from '../import-request.ts';
import type { EarlierUser, ImportStore, Progress, RowSink, Run } from '../import-store.ts';
import type { RawLine } from '../input/line-splitter.ts';
import type { ParsedLine } from '../input/parsed-user.ts';
import type { ChunkResult } from './chunk-result.ts';
import type { DeferredLine } from './deferred-lines.ts';
import type { LineChunk } from './line-chunk.ts';
import type { OptimisticChunk } from './optimistic-chunk.ts';
import type { MarkSeal } from './sealed-marks.ts';

export interface ImportDeps {
  imports: ImportStore;
  pace: BulkPace;
  passwords: Passwords;
  vault: FactorVault;
  fingerprints: HashFingerprints;
  seal: MarkSeal;
  now(): number;
}

export interface ImporterOptions {
  run: Run;
  onConflict: OnConflict;
  matchBy: MatchBy;
  source: string | undefined;
  read(line: RawLine): ParsedLine;
  /** Limits the number of passwords hashed concurrently for this run. */
  hashing: ConcurrencyLimit;
  signal?: AbortSignal | undefined;
}

/** Imports the chunks of one run. Chunks must be passed in order; several may be in progress. */
export interface ChunkImporter<Rows extends RowSink> {
  /**
   * Returns an optimistic chunk for the lines from `firstLine` on. Returns undefined if recent chunks
   * contained existing users, because the optimistic result would probably be discarded.
   */
  openOptimistic(firstLine: number): OptimisticChunk<Rows> | undefined;
  import(chunk: LineChunk<Rows>): Promise<ChunkResult>;
  /** Adds a line that an earlier run deferred. */
  defer(line: DeferredLine): void;
  /** In a dry run, records users who would be removed, so that deferred lines can take their addresses. */
  forget(users: readonly EarlierUser[]): Promise<void>;
  /** Decides the deferred lines after all chunks. Returns undefined if no line was deferred. */
  settle(): Promise<Pick<ChunkResult, 'report' | 'counts'> | undefined>;
  /** Returns the progress after all chunks passed so far. Rejects if one of them failed. */
  progress(): Promise<Progress>;
  close(): Promise<void>;
}
