import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { expect, it, onTestFinished } from 'vitest';
import { processStart } from '../../../src/embedded-postgres/owner.ts';
import { until } from '../../../src/lib/async/until.ts';
import { CHEAP, ENDLESS, PASSWORD, SETUP } from '../expensive.ts';

const SCRIPT = `
  import { HashingProcesses } from '${process.env.COMPILED_HASHING_PROCESS}/hashing-processes.js';
  const given = ${JSON.stringify({ setup: { ...SETUP, secrets: [] }, CHEAP, ENDLESS })};
  const hashing = new HashingProcesses(given.setup, { atMost: 2 });
  const verify = (hash) => hashing.verify(given[hash], Buffer.from('${PASSWORD}'));
  const say = (text) => process.stdout.write(text + '\\n');
`;

/** Starts a process that has the hashing processes `hashing`, and runs this code. */
function startParent(code: string) {
  const child = spawn(process.execPath, ['--input-type=module', '-e', SCRIPT + code], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  return { child, line: async (): Promise<string> => (await lines.next()).value, exit: once(child, 'exit') };
}

const isGone = (pid: number) => until(async () => (await processStart(pid)) === undefined, 1000);

it('exits with its parent, whatever it computes', async () => {
  // The second process takes longer to start than the first to begin the computation.
  const { child, line } = startParent(`
    await verify('CHEAP');
    verify('ENDLESS');
    await verify('CHEAP');
    say(hashing.pids[0]);
  `);
  const pid = Number(await line());
  expect(await processStart(pid)).toBeDefined();
  child.kill('SIGKILL');
  expect(await isGone(pid)).toBe(true);
});

it('lets a parent exit after a stop, and leaves nothing behind', async () => {
  const { line, exit } = startParent(`
    await verify('CHEAP');
    const outcomes = ['ENDLESS', 'CHEAP', 'CHEAP'].map((hash) => verify(hash).catch(({ code }) => code));
    say(hashing.pids[0]);
    hashing.stop();
    say(await Promise.all(outcomes));
  `);
  const pid = Number(await line());
  expect(await line()).toBe('SHUTTING_DOWN,SHUTTING_DOWN,SHUTTING_DOWN');
  // Waiting for the hash would take a minute, longer than the timeout of this test.
  expect(await exit).toEqual([0, null]);
  expect(await isGone(pid)).toBe(true);
});

it('keeps its parent alive while an answer is pending, and no longer', async () => {
  // The second call keeps the parent alive until the hashing process runs. Nothing does afterwards.
  const { line, exit } = startParent(`
    say((await verify('CHEAP')).matches);
    verify('CHEAP').then(({ matches }) => say(matches));
  `);
  expect([await line(), await line()]).toEqual(['true', 'true']);
  expect(await exit).toEqual([0, null]);
});
