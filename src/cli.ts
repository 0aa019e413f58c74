#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { boundHeap, processIo } from './cli/process-io.ts';
import { runCommandLine } from './cli/run-command-line.ts';

boundHeap();

const { version }: { version: string } = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
);

process.exitCode = await runCommandLine({
  args: process.argv.slice(2),
  io: processIo(),
  version,
});
