import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, inject, it, onTestFinished, vi } from 'vitest';
import { tempDirectory } from '../../src/cli/files/temp-directory.ts';
import { scratch } from './command-line.ts';

const compiled = join(inject('compiled').directory, 'dist');
const HOLD = `const { tempDirectory } = await import('${compiled}/cli/files/temp-directory.js');
  const { WorkDatabase } = await import('${compiled}/lib/work-database.js');
  const database = new WorkDatabase({ directory: tempDirectory().path });
  database.exec('create table t (a)');
  console.log('ready');
  setInterval(() => {}, 1000);`;

/** Starts a process that has a work database, and waits for it. */
async function holding(directory: string) {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', HOLD], {
    env: { ...process.env, TMPDIR: directory },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  return async () => {
    child.kill('SIGKILL');
    await once(child, 'exit');
  };
}

it('removes what a killed run has left, and nothing else', async () => {
  const directory = scratch();
  vi.stubEnv('TMPDIR', directory);
  onTestFinished(() => void vi.unstubAllEnvs());
  const kill = await holding(directory);
  const killOther = await holding(directory);
  const before = readdirSync(directory);
  expect(before).toHaveLength(2);
  const own = ['user-import-notes', 'user-import-0-1-abcdef', 'other'];
  for (const name of own) mkdirSync(join(directory, name));
  await kill();
  const temp = tempDirectory();
  const { path } = temp;
  const after = readdirSync(directory);
  expect(after).toHaveLength(2 + own.length);
  expect(after).toContain(basename(path));
  expect(before.filter((name) => after.includes(name))).toHaveLength(1);
  await killOther();
  temp.remove();
  expect(readdirSync(directory)).toHaveLength(1 + own.length);
  tempDirectory().path;
  expect(readdirSync(directory)).toHaveLength(1 + own.length);
});
