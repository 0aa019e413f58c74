import { debuglog } from 'node:util';
import { didYouMean } from '../lib/text/nearest-names.ts';
import { WorkDatabaseProblem } from '../lib/work-database.ts';
import { FileProblem } from '../sources/containers/table.ts';
import { CliError, EXIT } from './cli-error.ts';
import type { Command } from './command.ts';
import { COMMANDS, commandHelp, generalHelp } from './commands.ts';
import { tempDirectory } from './files/temp-directory.ts';
import { checkOutputs } from './files/verdict-files.ts';
import { saveMappingFile, withMappingFile } from './options/mapping-file.ts';
import { type Arguments, readArguments } from './options/read-arguments.ts';
import { ServiceProblem } from './service-client/service-problem.ts';
import { Interruption } from './terminal/interruption.ts';
import { type Io, Terminal } from './terminal/terminal.ts';

const debug = debuglog('user-import');

interface CommandLine {
  args: readonly string[];
  io: Io;
  version: string;
}

/**
 * Runs the command that the arguments name, and resolves to its exit code. Errors are shown; the promise never rejects.
 */
export async function runCommandLine(commandLine: CommandLine): Promise<number> {
  const { args, io } = commandLine;
  let terminal = new Terminal(io, { isQuiet: false, isJson: args.includes('--json') });
  try {
    const read = readArguments(args);
    terminal = new Terminal(io, { isQuiet: read.flags.has('quiet'), isJson: read.flags.has('json') });
    return await runArguments(commandLine, read, terminal);
  } catch (error) {
    const { message, exitCode } = describeError(error);
    if (message !== '') {
      terminal.complain(message);
      // An error of stdout is ignored, because stderr already has the message.
      if (terminal.isJson) await terminal.result(`${JSON.stringify({ error: message })}\n`).catch(() => {});
    }
    return exitCode;
  }
}

async function runArguments(
  { io, version }: CommandLine,
  { words: [first, ...rest], flags: given }: Arguments,
  terminal: Terminal,
): Promise<number> {
  if (given.has('version')) {
    await terminal.result(`user-import ${version}\n`);
    return EXIT.ok;
  }
  const isHelp = first === 'help' || given.has('help');
  const name = first === 'help' ? rest[0] : first;
  if (name === undefined && !isHelp) throw new CliError(`${generalHelp()}\n\nName a command.`);
  const command = name === undefined ? undefined : commandOf(name);
  if (command === undefined || isHelp) {
    await terminal.help(command === undefined ? [generalHelp()] : commandHelp(name, command));
    return EXIT.ok;
  }
  // A flag that the command would ignore is refused, because the operator expects an effect.
  const stray = given.names.find((flag) => !command.flags.includes(flag));
  if (stray !== undefined)
    throw new CliError(
      `${name} has no flag --${stray}.${didYouMean(command.flags, stray, '--')} user-import help ${name} lists its flags.`,
    );
  if (!takesWords(command, rest.length))
    throw new CliError(`Usage: user-import ${name} ${command.takes}`.trimEnd());
  const flags = withMappingFile(given);
  checkOutputs({ flags, words: rest });
  saveMappingFile(flags);
  const { run } = await command.load();
  const temp = tempDirectory();
  const interruption = new Interruption(io);
  const atEnd: (() => void | Promise<void>)[] = [];
  try {
    return await run({
      ...{ commands: COMMANDS, io, terminal, flags, words: rest, interruption, atEnd },
      get tempDirectory() {
        return temp.path;
      },
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

/** Returns whether the command takes this number of arguments: `FILE…` is at least one, `[ID]` at most one. */
function takesWords({ takes }: Command, words: number): boolean {
  const [arguments_ = ''] = takes.split(' --');
  const wanted = arguments_ === '' ? 0 : arguments_.split(' ').length;
  const least = takes.startsWith('[') ? 0 : wanted;
  return words >= least && (takes.includes('…') || words <= wanted);
}

/**
 * Returns the message and the exit code for an error. Messages of unexpected errors are left out, because they may
 * quote user data.
 */
function describeError(error: unknown): { message: string; exitCode: number } {
  if (error instanceof CliError) return error;
  const exitCode = EXIT.notDone;
  const isExplained = [ServiceProblem, FileProblem, WorkDatabaseProblem].some(
    (kind) => error instanceof kind,
  );
  const { name = 'Error', code, message, stack } = (error ?? {}) as NodeJS.ErrnoException;
  if (isExplained) return { message, exitCode };
  if (name === 'SQLite3Error')
    return {
      message: `The files cannot be read as tables: ${message}. Correct the query, or the names of columns.`,
      exitCode,
    };
  debug('%s', stack?.split('\n    at ').slice(1).join('\n') ?? typeof error);
  const kind = code === undefined ? name : `${name} ${code}`;
  return {
    message: `Internal error (${kind}). Please report it, with the stack that NODE_DEBUG=user-import shows.`,
    exitCode,
  };
}
