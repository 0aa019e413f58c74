import type { Passwords } from '../../hashing/passwords.ts';
import type { ConcurrencyLimit } from '../../lib/async/concurrency-limit.ts';
import type { HashFingerprints } from '../../passwords/hash-fingerprint.ts';
import type { BulkPace } from '../bulk-pace.ts';
import type { OnConflict } from '../import-request.ts';
import type { ImportStore, Progress, RowSink, Run } from '../import-store.ts';
import type { RawLine } from '../input/line-splitter.ts';
import type { ParsedLine } from '../input/parsed-user.ts';
import type { ChunkResult } from './chunk-result.ts';
import type { LineChunk } from './line-chunk.ts';
import type { OptimisticChunk } from './optimistic-chunk.ts';
import type { MarkSeal } from './sealed-marks.ts';

export interface ImportDeps {
  imports: ImportStore;
  pace: BulkPace;
  passwords: Passwords;
  fingerprints: HashFingerprints;
  seal: MarkSeal;
  now(): number;
}

export interface ImporterOptions {
  run: Run;
  onConflict: OnConflict;
  read(line: RawLine): ParsedLine;
  /** Bounds how many passwords are hashed for this run at once. */
  hashing: ConcurrencyLimit;
  signal?: AbortSignal | undefined;
}

/** Carries out the chunks of one run. They must be given in order; several may be in flight. */
export interface ChunkImporter<Rows extends RowSink> {
  /**
   * For the chunk that begins with this line. Undefined while chunks meet stored users: most work on an optimistic chunk
   * would be lost.
   */
  openOptimistic(firstLine: number): OptimisticChunk<Rows> | undefined;
  import(chunk: LineChunk<Rows>): Promise<ChunkResult>;
  /** How far the import has come, once all that was begun is done. Rejects when some of it failed. */
  progress(): Promise<Progress>;
  close(): Promise<void>;
}
