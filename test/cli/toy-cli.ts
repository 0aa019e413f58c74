import { processIo } from '../../src/cli/process-io.ts';
import { runCommandLine } from '../../src/cli/run-command-line.ts';
import { withToy } from './toy-source.ts';

// Runs the tool as a process, which also reads files of the made-up system.
process.exitCode = await withToy(() =>
  runCommandLine({ args: process.argv.slice(2), io: processIo(), version: '1.2.3' }),
);
