import { debuglog } from 'node:util';
import { didYouMean } from '../lib/text/nearest-names.ts';
import { WorkDatabaseProblem } from '../lib/work-database.ts';
import { FileProblem } from '../sources/containers/table.ts';
import { CliError, EXIT } from './cli-error.ts';
import type { Command } from './command.ts';
import { COMMANDS, commandHelp, generalHelp } from './commands.ts';
import { tempDirectory } from './files/temp-directory.ts';
import { SOURCE_FLAGS } from './options/flags.ts';
import { saveMappingFile, withMappingFile } from './options/mapping-file.ts';
import { type Arguments, readArguments } from './options/read-arguments.ts';
import type { Pipeline } from './pipeline.ts';
import { ServiceProblem } from './service-client/service-problem.ts';
import { Interruption } from './terminal/interruption.ts';
import { type Io, Terminal } from './terminal/terminal.ts';

const debug = debuglog('user-import');

interface CommandLine {
  args: readonly string[];
  io: Io;
  version: string;
  loadPipeline(): Promise<Pipeline>;
}

/** Runs the command that the arguments name, and resolves to the exit code. Never rejects: shows errors. */
export async function runCommandLine(commandLine: CommandLine): Promise<number> {
  const { args, io } = commandLine;
  let terminal = new Terminal(io, { isQuiet: false, isJson: false });
  try {
    const read = readArguments(args);
    terminal = new Terminal(io, { isQuiet: read.flags.has('quiet'), isJson: read.flags.has('json') });
    return await runArguments(commandLine, read, terminal);
  } catch (error) {
    const { message, exitCode } = describeError(error);
    if (message !== '') {
      terminal.complain(message);
      // stderr already has the message, and stdout may be the cause of the error.
      if (terminal.isJson) await terminal.result(`${JSON.stringify({ error: message })}\n`).catch(() => {});
    }
    return exitCode;
  }
}

async function runArguments(
  { io, version, loadPipeline }: CommandLine,
  { words, flags: given }: Arguments,
  terminal: Terminal,
): Promise<number> {
  if (given.has('version')) {
    await terminal.result(`user-import ${version}\n`);
    return EXIT.ok;
  }
  const [first, ...rest] = words;
  const isHelp = first === 'help' || given.has('help');
  const name = first === 'help' ? rest[0] : first;
  if (name === undefined) {
    if (!isHelp) throw new CliError(`${generalHelp()}\n\nName a command.`);
    await terminal.help([generalHelp()]);
    return EXIT.ok;
  }
  const command = commandOf(name);
  if (isHelp) {
    await terminal.help(commandHelp(name, command));
    return EXIT.ok;
  }
  checkFlags(name, command, given);
  checkWords(name, command, rest);
  const flags = withMappingFile(given, SOURCE_FLAGS);
  flags.check();
  saveMappingFile(flags, SOURCE_FLAGS);
  const { run } = await command.load();
  const temp = tempDirectory();
  const interruption = new Interruption(io);
  const atEnd: (() => Promise<void>)[] = [];
  try {
    return await run({
      commands: COMMANDS,
      io,
      terminal,
      flags,
      words: rest,
      interruption,
      get tempDirectory() {
        return temp.path;
      },
      loadPipeline,
      atEnd,
    });
  } finally {
    terminal.clearLine();
    for (const end of atEnd) await end();
    interruption.close();
    temp.remove();
  }
}

function commandOf(name: string): Command {
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command !== undefined) return command;
  const names = Object.keys(COMMANDS);
  const hint = didYouMean(names, name) || ` Commands: ${names.join(', ')}.`;
  throw new CliError(`There is no command ${name}.${hint}`);
}

/** Rejects flags that the command would ignore, because the operator expects an effect. */
function checkFlags(name: string, command: Command, flags: Arguments['flags']): void {
  const stray = flags.names.find((flag) => !command.flags.includes(flag));
  if (stray !== undefined)
    throw new CliError(
      `${name} has no flag --${stray}.${didYouMean(command.flags, stray, '--')} user-import help ${name} lists its flags.`,
    );
}

/** Checks the number of arguments against what the command takes: `FILE…` is at least one, `[ID]` at most one. */
function checkWords(name: string, { takes }: Command, words: readonly string[]): void {
  const [arguments_ = ''] = takes.split(' --');
  const wanted = arguments_ === '' ? 0 : arguments_.split(' ').length;
  const least = takes.startsWith('[') ? 0 : wanted;
  const most = takes.includes('…') ? Number.POSITIVE_INFINITY : wanted;
  if (words.length >= least && words.length <= most) return;
  throw new CliError(`Usage: user-import ${name} ${takes}`.trimEnd());
}

/** Leaves out messages of unexpected errors, because they may quote user data. */
function describeError(error: unknown): { message: string; exitCode: number } {
  if (error instanceof CliError) return { message: error.message, exitCode: error.exitCode };
  const exitCode = EXIT.notDone;
  const isExplained = [ServiceProblem, FileProblem, WorkDatabaseProblem].some(
    (kind) => error instanceof kind,
  );
  if (error instanceof Error && isExplained) return { message: error.message, exitCode };
  if (error instanceof Error && error.name === 'SQLite3Error')
    return {
      message: `The files cannot be read as tables: ${error.message}. Correct the query, or the names of columns.`,
      exitCode,
    };
  debug('%s', error instanceof Error ? error.stack?.split('\n    at ').slice(1).join('\n') : typeof error);
  const { name = 'Error', code } = error as NodeJS.ErrnoException;
  const kind = code === undefined ? name : `${name} ${code}`;
  return {
    message: `Internal error (${kind}). Please report it, with the stack that NODE_DEBUG=user-import shows.`,
    exitCode,
  };
}
