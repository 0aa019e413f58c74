import type { ContainerName, ReadOptions } from '../../../src/sources/containers/table.ts';
import type { Random } from '../../support/random.ts';
import type { HostileRow } from './hostile-rows.ts';

/** A real program that writes exports. */
export interface Writer {
  /** Name, such as `python-csv`. */
  readonly name: string;
  readonly container: ContainerName;
  /**
   * Programs of the system that the writer needs. If one is not installed, the tests are skipped with its
   * name.
   */
  readonly programs: readonly string[];
  /** Starts what the writer needs, such as a database server. */
  start(): Promise<RunningWriter>;
}

export interface RunningWriter {
  write(rows: readonly HostileRow[], random: Random): Promise<WrittenFile>;
  stop(): Promise<void>;
}

export interface WrittenFile {
  /** Description of what was chosen, such as `dialect excel-tab, quotes all`. */
  how: string;
  bytes: Buffer;
  /** The rows as they must be read back. */
  rows: readonly Record<string, unknown>[];
  /** Options for an operator who knows how the file was written. The file is also read without them. */
  options: ReadOptions;
  /** Selects the table of the users if the file has several. */
  isTable?(name: string): boolean;
}

/** Wraps a writer that is a single call of a program, with nothing to start or stop. */
export const withoutServer = (write: RunningWriter['write']): Writer['start'] => {
  return () => Promise.resolve({ write, stop: () => Promise.resolve() });
};
