import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { constants, getPriority, setPriority } from 'node:os';
import { afterEach, expect, it, onTestFinished, vi } from 'vitest';
import { processStart } from '../../../src/embedded-postgres/owner.ts';
import { HashingProcesses } from '../../../src/hashing/process/hashing-processes.ts';
import type { StoredHash } from '../../../src/hashing/verifier.ts';
import { until } from '../../../src/lib/async/until.ts';
import { AppError } from '../../../src/lib/errors.ts';
import { passwordOf, vector } from '../../support/vectors.ts';
import { CHEAP, ENDLESS, hashingProcesses, keepBusy, PASSWORD, SETUP } from '../expensive.ts';

vi.mock('node:os', { spy: true });

const WRONG = Buffer.from('password');
const LONG_MS = 10_000;

let hashing: HashingProcesses;
afterEach(() => hashing.stop());

const isGone = (pid: number) => until(async () => (await processStart(pid)) === undefined, LONG_MS);

it('a process is started for each call, up to their number, and answers further calls', async () => {
  hashing = hashingProcesses();
  expect(hashing.pids).toEqual([]);
  // A view into a larger buffer.
  const view = new Uint8Array(Buffer.concat([PASSWORD, PASSWORD, WRONG])).subarray(
    PASSWORD.length,
    2 * PASSWORD.length,
  );
  expect(await hashing.verify(CHEAP, view)).toEqual({ matches: true, ms: expect.any(Number) });
  const [first] = hashing.pids;
  expect(await hashing.verify(CHEAP, WRONG)).toMatchObject({ matches: false });
  expect(hashing.pids).toEqual([first]);
  const answers = await Promise.all([PASSWORD, WRONG, PASSWORD].map((one) => hashing.verify(CHEAP, one)));
  expect(answers.map(({ matches }) => matches)).toEqual([true, false, true]);
  expect(hashing.pids).toEqual([first, expect.any(Number)]);
});

it('processes have the signer key and the settings', async () => {
  hashing = hashingProcesses();
  const sample = vector('external_scrypt', 'own-reference');
  const hash = { algorithm: 'external_scrypt', encoded: sample.hash as StoredHash };
  expect(await hashing.verify(hash, passwordOf(sample))).toMatchObject({ matches: true });
  const made = await hashing.hash(PASSWORD);
  expect(made).toEqual({ algorithm: 'argon2', encoded: expect.stringContaining('$m=64,t=1,p=1$') });
  expect(await hashing.hash(PASSWORD, 'bcrypt')).toMatchObject({ algorithm: 'bcrypt' });
  expect(await hashing.verify(made, PASSWORD)).toMatchObject({ matches: true });
});

it('passes on why a hash cannot be evaluated, instead of answering that it does not match', async () => {
  hashing = hashingProcesses();
  const corrupt = { ...CHEAP, encoded: CHEAP.encoded.slice(0, 30) as StoredHash };
  await expect(hashing.verify(corrupt, PASSWORD)).rejects.toThrow('can no longer be verified');
  const unknown = { ...CHEAP, algorithm: 'md5' };
  await expect(hashing.verify(unknown, PASSWORD)).rejects.toThrow('no verifier for the stored algorithm md5');
  expect(await hashing.verify(CHEAP, PASSWORD)).toMatchObject({ matches: true });
});

it('a process that is killed fails its call', async () => {
  hashing = hashingProcesses();
  const { outcome, pid } = await keepBusy(hashing);
  process.kill(pid, 'SIGKILL');
  const error = await outcome;
  expect(error).toBeInstanceOf(Error);
  expect(error).not.toBeInstanceOf(AppError);
  expect(String(error)).toMatch('the hashing process is lost');
  expect(hashing.pids).not.toContain(pid);
});

it('no call but its own is lost when a process is killed, and another process serves the waiting calls', async () => {
  hashing = new HashingProcesses(SETUP, { atMost: 2 });
  const endless = [1, 2].map(() => hashing.verify(ENDLESS, PASSWORD).catch((error: unknown) => error));
  const waiting = [1, 2, 3].map(() => hashing.verify(CHEAP, PASSWORD));
  const [pid = 0, other] = hashing.pids;
  process.kill(pid, 'SIGKILL');
  expect(String(await endless[0])).toMatch('the hashing process is lost');
  expect((await Promise.all(waiting)).every(({ matches }) => matches)).toBe(true);
  expect(hashing.pids).toEqual([other, expect.any(Number)]);
  hashing.stop();
  expect(await endless[1]).toMatchObject({ code: 'SHUTTING_DOWN' });
});

it('a process is killed if it does not answer, for example when frozen, and started again by the next call', async () => {
  // The timers must not expire while a slow machine starts the process.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  hashing = new HashingProcesses(SETUP, { atMost: 1, patienceMs: 1500 });
  await hashing.verify(CHEAP, PASSWORD);
  const [pid] = hashing.pids;
  if (pid === undefined) throw new Error('there is no process');
  process.kill(pid, 'SIGSTOP');
  const frozen = expect(hashing.verify(CHEAP, PASSWORD)).rejects.toThrow(
    'the hashing process does not answer',
  );
  vi.advanceTimersByTime(1499);
  expect(hashing.pids).toEqual([pid]);
  vi.advanceTimersByTime(1);
  await frozen;
  expect(await hashing.verify(CHEAP, PASSWORD)).toMatchObject({ matches: true });
  vi.useRealTimers();
  await isGone(pid);
});

it('refuses waiting calls when it is stopped', async () => {
  hashing = new HashingProcesses(SETUP, { atMost: 1 });
  const outcomes = [ENDLESS, CHEAP, CHEAP].map((hash) => hashing.verify(hash, PASSWORD));
  hashing.stop();
  for (const outcome of await Promise.allSettled(outcomes)) {
    expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'SHUTTING_DOWN' } });
  }
  expect(hashing.pids).toEqual([]);
});

it('a process is not ended by a signal to all processes of the service', async () => {
  hashing = hashingProcesses();
  await hashing.verify(CHEAP, PASSWORD);
  const [pid = 0] = hashing.pids;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.kill(pid, signal);
    expect(await hashing.verify(CHEAP, PASSWORD)).toMatchObject({ matches: true });
  }
  expect(hashing.pids).toEqual([pid]);
});

it('a process is ended after an idle time, unlike one that computes, and started again when needed', async () => {
  hashing = hashingProcesses(50);
  const { outcome, pid } = await keepBusy(hashing);
  expect(await until(() => hashing.pids.length === 1, LONG_MS)).toBe(true);
  expect(hashing.pids).toEqual([pid]);
  process.kill(pid, 'SIGKILL');
  await outcome;
  await hashing.verify(CHEAP, PASSWORD);
  const [next = 0] = hashing.pids;
  expect(await isGone(next)).toBe(true);
  expect(hashing.pids).toEqual([]);
  expect(await hashing.verify(CHEAP, PASSWORD)).toMatchObject({ matches: true });
});

it('exits when it is stopped, whatever it computes, and is not started again', async () => {
  hashing = hashingProcesses();
  const { outcome, pid } = await keepBusy(hashing);
  hashing.stop();
  expect(await outcome).toMatchObject({ code: 'SHUTTING_DOWN' });
  expect(await isGone(pid)).toBe(true);
  await expect(hashing.verify(CHEAP, PASSWORD)).rejects.toMatchObject({ code: 'SHUTTING_DOWN' });
  await expect(hashing.hash(PASSWORD)).rejects.toMatchObject({ code: 'SHUTTING_DOWN' });
  expect(hashing.pids).toEqual([]);
});

const isLinux = process.platform === 'linux';
const threadsOf = (pid: number) => readdirSync(`/proc/${pid}/task`);

it.runIf(isLinux).for([
  { when: 'at once', atLeast: 1 },
  { when: 'when it has begun threads already', atLeast: 4 },
])(
  'has a lower priority than all other processes, in each of its threads, set $when',
  async ({ atLeast }) => {
    vi.mocked(setPriority).mockImplementationOnce((pid: number, priority?: number) => {
      // The process starts meanwhile, although this thread blocks.
      while (threadsOf(pid).length < atLeast) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
      setPriority(pid, priority as number);
    });
    hashing = hashingProcesses();
    const { pid } = await keepBusy(hashing);
    const threads = threadsOf(pid);
    expect(threads.length).toBeGreaterThan(3);
    for (const thread of threads) {
      const stat = readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8');
      // Field 19, proc(5).
      expect(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16]).toBe('10');
    }
  },
);

it.runIf(isLinux)('receives no secret where other processes could read it', async () => {
  process.env.EXTERNAL_PASSWORD_HASHING_SIGNER_KEY = 'a secret of the service';
  hashing = hashingProcesses();
  await hashing.verify(CHEAP, PASSWORD);
  delete process.env.EXTERNAL_PASSWORD_HASHING_SIGNER_KEY;
  const names = readFileSync(`/proc/${hashing.pids[0]}/environ`, 'utf8')
    .split('\0')
    .map((one) => one.split('=')[0]);
  // Node adds the second and the third variable for its channel.
  expect(names.filter((name) => name !== '').toSorted()).toEqual([
    'NODE_CHANNEL_FD',
    'NODE_CHANNEL_SERIALIZATION_MODE',
    'UV_THREADPOOL_SIZE',
  ]);
  expect(readFileSync(`/proc/${hashing.pids[0]}/cmdline`, 'utf8')).toMatch(
    /^[^\0]*node\0[^\0]*hashing-child\.js\0$/,
  );
});

it('runs at the lowest priority in the background', () => {
  hashing = new HashingProcesses(SETUP, { atMost: 1, inBackground: true });
  // An answer may take long at this priority.
  hashing.hash(PASSWORD).catch(() => {});
  const [pid = 0] = hashing.pids;
  expect(getPriority(pid)).toBe(constants.priority.PRIORITY_LOW);
  // The file exists on Linux unless the kernel lacks autogroups.
  const autogroupOf = (name: number | 'self') => {
    const file = `/proc/${name}/autogroup`;
    return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
  };
  expect(autogroupOf(pid)).toSatisfy((text) => text === undefined || /nice 19$/m.test(text));
  expect(autogroupOf('self')).toSatisfy((text) => text === undefined || text !== autogroupOf(pid));
});
