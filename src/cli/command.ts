import type { Flags } from './options/read-arguments.ts';
import type { Pipeline } from './pipeline.ts';
import type { Interruption } from './terminal/interruption.ts';
import type { Io, Terminal } from './terminal/terminal.ts';

/** What a command works with. */
export interface CommandContext {
  io: Io;
  terminal: Terminal;
  flags: Flags;
  /** What follows the command: files, or an id. */
  words: readonly string[];
  interruption: Interruption;
  /** Of this run alone. */
  tempDirectory: string;
  loadPipeline(): Promise<Pipeline>;
  /** What is to be done when the command is over, however it ended. */
  atEnd: (() => Promise<void>)[];
}

/** Does a command. Resolves to the exit code. @throws {Stopped} and others, which are told */
export type RunCommand = (context: CommandContext) => Promise<number>;
