import type { Verdict } from '../../sources/pipeline/verdict.ts';
import type { VerdictFiles } from '../files/verdict-files.ts';
import type { ImportOptions } from '../import-id.ts';
import type { Addresses } from '../service-client/addresses.ts';
import type { RetryOptions } from '../service-client/with-retries.ts';
import type { Written } from './row-ledger.ts';
import type { VerdictCounts } from './verdict-counts.ts';

export interface RowImport {
  addresses: Addresses;
  /** If a dry run failed, the next attempt gets a new id. */
  importId(): string;
  parallel: number;
  options: ImportOptions;
  isDryRun: boolean;
  total: number | undefined;
  /** Yields all rows of the files, in order, and the same ones in each call. */
  rows(signal: AbortSignal): AsyncGenerator<readonly Verdict[]>;
  files: VerdictFiles;
  retry: RetryOptions;
  timeoutMs: number;
  /** Aborts on Ctrl-C. */
  interrupted: AbortSignal;
  onProgress(verdicts: VerdictCounts): void;
}

/** Counts of missing users: users of earlier imports whom no row names. */
export interface MissingUsers {
  found: number;
  removed: number;
  kept: number;
  /** Error code that states why no missing user was removed. */
  refused?: string;
  /** External ids of the first missing users who were removed. */
  named: readonly string[];
}

export interface ImportedRows {
  importId: string;
  verdicts: VerdictCounts;
  written: Written;
  /** Undefined unless the import removes missing users. */
  missing: MissingUsers | undefined;
  /** Whether the import began before this run of the tool. */
  isResumed: boolean;
}

/** Returns whether rows that are left out as disabled disable the users whom an earlier import created. */
export const disablesUsers = ({ matchBy, onConflict }: Pick<ImportOptions, 'matchBy' | 'onConflict'>) =>
  matchBy !== undefined && onConflict !== 'skip' && onConflict !== 'fail';
