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
import type { ParsedLines } from './parsed-lines.ts';
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
  trustExternalIds?: boolean | undefined;
  read(line: RawLine): ParsedLine;
  hashing: ConcurrencyLimit;
  signal?: AbortSignal | undefined;
}

/** Imports the chunks of one run. Chunks must be passed in order; several may be in progress at once. */
export interface ChunkImporter<Rows extends RowSink> {
  /** Returns undefined if recent chunks had existing users: the result would probably be discarded. */
  openOptimistic(firstLine: number): OptimisticChunk<Rows> | undefined;
  import(chunk: LineChunk<Rows>, lines: ParsedLines): Promise<ChunkResult>;
  /** Adds a line that an earlier run of the import deferred to the end. */
  defer(line: DeferredLine): void;
  /** Frees the addresses of users whom the import would remove, for deferred lines of a dry run. */
  forget(users: readonly EarlierUser[]): Promise<void>;
  settle(): Promise<Pick<ChunkResult, 'report' | 'counts'> | undefined>;
  /** Returns the progress after all chunks passed so far. Rejects if one of them failed. */
  progress(): Promise<Progress>;
  close(): Promise<void>;
}
