#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { processIo } from './cli/process-io.ts';
import { runCommandLine } from './cli/run-command-line.ts';

// The heap grows by so much before it is cleaned: with V8's own choice, five million rows take half as much memory again as fifty
// thousand, all of it waste.
setFlagsFromString('--heap-growing-percent=15');

const { version }: { version: string } = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
);

process.exitCode = await runCommandLine({
  args: process.argv.slice(2),
  io: processIo(),
  version,
  loadPipeline: () => import('./cli/load-pipeline.ts').then(({ loadPipeline }) => loadPipeline()),
});
