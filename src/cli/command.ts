import type { FlagName } from './options/flags.ts';
import type { Flags } from './options/read-arguments.ts';
import type { Interruption } from './terminal/interruption.ts';
import type { Io, Terminal } from './terminal/terminal.ts';

export interface CommandContext {
  commands: Readonly<Record<string, Command>>;
  io: Io;
  terminal: Terminal;
  flags: Flags;
  /** Arguments after the name of the command, such as files or an import id. */
  words: readonly string[];
  interruption: Interruption;
  /** Temporary directory of this command, removed when the command ends. */
  tempDirectory: string;
  /** Callbacks to run when the command ends, whether it succeeded or failed. */
  atEnd: (() => void | Promise<void>)[];
}

/**
 * Runs a command, and resolves to its exit code.
 * @throws {CliError} if the command cannot do its work; other errors are reported without details
 */
export type RunCommand = (context: CommandContext) => Promise<number>;

export interface Command {
  /** Arguments after the name of the command, for the help: `FILE…`. */
  takes: string;
  summary: string;
  details: string;
  flags: readonly FlagName[];
  examples: readonly string[];
  /** Modules are loaded on demand, because some have slow dependencies. */
  load(): Promise<{ run: RunCommand }>;
}
