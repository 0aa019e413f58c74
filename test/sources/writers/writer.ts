import type { ContainerName, ReadOptions } from '../../../src/sources/containers/table.ts';
import type { Random } from '../../support/random.ts';
import type { HostileRow } from './hostile-rows.ts';

/** A program that writes exports: a real one, not ours. */
export interface Writer {
  /** `python-csv` */
  readonly name: string;
  readonly container: ContainerName;
  /** Programs of the system that it needs. Its tests are skipped by name where one is not installed. */
  readonly programs: readonly string[];
  /** Starts what the writer needs, such as a server of its own. */
  start(): Promise<RunningWriter>;
}

export interface RunningWriter {
  /** Writes the rows in a way that `random` chooses. */
  write(rows: readonly HostileRow[], random: Random): Promise<WrittenFile>;
  stop(): Promise<void>;
}

export interface WrittenFile {
  /** What was chosen: `dialect excel-tab, quotes all`. */
  how: string;
  bytes: Buffer;
  /** The rows as they must come back. */
  rows: readonly Record<string, unknown>[];
  /** What an operator can say about the file who knows how it was written. It is read without this, too. */
  options: ReadOptions;
  /** Tells the table of the users where the file has several. */
  isTable?(name: string): boolean;
}

/** Starts nothing and stops nothing: a writer that is one call of a program. */
export const withoutServer = (write: RunningWriter['write']): Writer['start'] => {
  return () => Promise.resolve({ write, stop: () => Promise.resolve() });
};
