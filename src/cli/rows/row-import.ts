import type { Verdict } from '../../sources/pipeline/verdict.ts';
import type { OutcomeFiles } from '../files/outcome-files.ts';
import type { ImportOptions } from '../import-id.ts';
import type { Addresses } from '../service/addresses.ts';
import type { RetryOptions } from '../service/retrying.ts';
import type { Outcomes } from './outcomes.ts';
import type { Written } from './row-ledger.ts';

/** Rows that are to be sent. */
export interface RowImport {
  addresses: Addresses;
  /** Asked before each attempt: a dry run that broke off is done anew, and has a new name. */
  importId(): string;
  /** In how many parts they are sent at once. */
  parallel: number;
  options: ImportOptions;
  isDryRun: boolean;
  /** Of users that will be sent, where it is known. */
  total: number | undefined;
  /** All rows of the files, in batches and in order: the same ones whenever it is called with the same time. */
  convert(nowMs: number, signal: AbortSignal): AsyncGenerator<readonly Verdict[]>;
  files: OutcomeFiles;
  retry: RetryOptions;
  timeoutMs: number;
  /** Aborted by Ctrl-C. */
  interrupted: AbortSignal;
  onProgress(outcomes: Outcomes): void;
  /** For what does not fit in memory. */
  tempDirectory: string;
}

/** What came of them. */
export interface ImportedRows {
  importId: string;
  outcomes: Outcomes;
  written: Written;
  /** The import had begun before this run of the tool. */
  isResumed: boolean;
}
