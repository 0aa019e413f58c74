import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, inject, it } from 'vitest';

const run = promisify(execFile);
const SAMPLES = join(import.meta.dirname, '../sources/samples/firebase');

const compiled = inject('compiled').directory;

const tool = (...args: string[]) =>
  run(process.execPath, [join(compiled, 'dist/cli.js'), ...args], { cwd: '/', env: {} });

it('runs from any directory, with an empty environment', async () => {
  const { version } = JSON.parse(readFileSync(join(compiled, 'package.json'), 'utf8'));
  expect(await tool('--version')).toEqual({ stdout: `user-import ${version}\n`, stderr: '' });
  const { stdout } = await tool(
    'convert',
    '--mfa=password-only',
    '-q',
    join(SAMPLES, 'users.json'),
    join(SAMPLES, 'hash_config.txt'),
  ).catch((error) => error);
  expect(stdout.trimEnd().split('\n')).toHaveLength(9);
});

it('prints help without loading the libraries of other commands', async () => {
  const { stdout } = await run(
    process.execPath,
    [
      '--input-type=module',
      '-e',
      `await import(${JSON.stringify(join(compiled, 'dist/cli/run-command-line.js'))});
       const { sharedObjects } = process.report.getReport();
       console.log(JSON.stringify(sharedObjects.filter((name) => name.endsWith('.node'))));`,
    ],
    { cwd: '/' },
  );
  expect(JSON.parse(stdout)).toEqual([]);
});
