import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, it, onTestFinished } from 'vitest';
import { processStart } from '../../../src/embedded-postgres/owner.ts';
import { until } from '../../../src/lib/async/until.ts';

function startParent(role: string) {
  const script = join(import.meta.dirname, 'parent-process.ts');
  const child = spawn(process.execPath, ['--import', 'tsx', script, role], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  return { child, line: async (): Promise<string> => (await lines.next()).value, exit: once(child, 'exit') };
}

it('exits with its parent, whatever it computes', async () => {
  const { child, line } = startParent('is-killed');
  const pid = Number(await line());
  expect(await processStart(pid)).toBeDefined();
  child.kill('SIGKILL');
  expect(await until(async () => (await processStart(pid)) === undefined, 1000)).toBe(true);
});

it('lets a parent exit after a stop, and leaves nothing behind', async () => {
  const { line, exit } = startParent('exits');
  const pid = Number(await line());
  expect(JSON.parse(await line())).toEqual(['SHUTTING_DOWN', 'SHUTTING_DOWN']);
  // Waiting for the hash would take a minute, longer than the timeout of this test.
  expect(await exit).toEqual([0, null]);
  expect(await until(async () => (await processStart(pid)) === undefined, 1000)).toBe(true);
});

it('keeps its parent alive while an answer is pending, and no longer', async () => {
  const { line, exit } = startParent('waits-for-answers');
  expect([await line(), await line()]).toEqual(['true', 'true']);
  expect(await exit).toEqual([0, null]);
});
