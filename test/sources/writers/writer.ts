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

/** Writes a text as a literal of standard SQL. */
export const literal = (text: string) => `'${text.replaceAll("'", "''")}'`;

/** Writes a name as a quoted identifier of standard SQL. */
export const identifier = (text: string) => `"${text.replaceAll('"', '""')}"`;

/** Writes a text for the shell of SQLite, which changes the line ends of its input. */
export const sqliteText = (text: string) => `cast(x'${Buffer.from(text).toString('hex')}' as text)`;

/** Returns a dump from its first statement with rows on, as `grep` or an editor leaves it. */
export function withoutHead(dump: Buffer): Buffer {
  const start = /^(?:COPY|INSERT|REPLACE) /m.exec(dump.toString('latin1'))?.index ?? 0;
  return dump.subarray(start);
}

/** Replaces what an encoding lacks by characters that it has, one after the other. */
export function inEncoding(row: HostileRow, characters: string): HostileRow {
  const special = [...characters];
  const replaced = (text: string) => {
    let count = 0;
    return [...text.replaceAll('\u007f', '')]
      .map((sign) => (sign < '\u0080' ? sign : (special[count++ % special.length] ?? '')))
      .join('');
  };
  return { ...row, name: replaced(row.name), bio: replaced(row.bio) };
}
