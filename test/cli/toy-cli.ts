import { processIo } from '../../src/cli/process-io.ts';
import { runCommandLine } from '../../src/cli/run-command-line.ts';
import { toyPipeline } from './toy-pipeline.ts';

// Runs the tool as a process, with the toy pipeline.
process.exitCode = await runCommandLine({
  args: process.argv.slice(2),
  io: processIo(),
  version: '1.2.3',
  loadPipeline: async () => toyPipeline(),
});
