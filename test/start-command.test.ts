import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { nodeFlags, startScript } from './support/start-command.ts';

const image = readFileSync(new URL('../Dockerfile', import.meta.url), 'utf8');
const command = /^CMD .*$/m.exec(image)?.[0] ?? '';

it('the command is the same in package.json and in the image', () => {
  expect(nodeFlags(startScript())).not.toEqual([]);
  expect(nodeFlags(command)).toEqual(nodeFlags(startScript()));
});

it('the command says at once that it compiles, which takes a while', () => {
  expect(startScript()).toMatch(/^echo '[^']+' >&2 && npm run -s build && /);
});

it('the command has flags that this version of Node accepts', async () => {
  const flags = nodeFlags(startScript());
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [
    ...flags,
    '-p',
    'process.execArgv.join()',
  ]);
  expect([stdout.trim(), stderr]).toEqual([`${flags},-p,process.execArgv.join()`, '']);
});
