import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { Poller } from '../../../src/lib/async/until.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const PAUSE_MS = 1000;
const LONGEST_MS = 1.2 * PAUSE_MS;

/** Counts runs. `work` is what each of them does. */
function poll(work: (look: number) => Promise<void> = async () => {}) {
  const errors: unknown[] = [];
  const seen = { looks: 0, errors };
  const poller = new Poller({
    pauseMs: PAUSE_MS,
    onError: (error) => void errors.push(error),
    work: () => {
      seen.looks += 1;
      return work(seen.looks);
    },
  });
  onTestFinished(() => poller.stop());
  return { poller, seen };
}

const pass = (ms = 0) => vi.advanceTimersByTimeAsync(ms);

it('runs at once, and then after pauses that vary by a fifth', async () => {
  const { poller, seen } = poll();
  expect(seen.looks).toBe(0);
  poller.start();
  await pass(0.79 * PAUSE_MS);
  expect(seen.looks).toBe(1);
  await pass(0.42 * PAUSE_MS);
  expect(seen.looks).toBe(2);
  await pass(10 * LONGEST_MS);
  expect(seen.looks).toBeGreaterThanOrEqual(12);
  expect(seen.looks).toBeLessThanOrEqual(18);
});

it('measures the pause from the end of a run', async () => {
  const { poller, seen } = poll(async (look) => {
    if (look === 1) await new Promise((resolve) => setTimeout(resolve, 5 * PAUSE_MS));
  });
  poller.start();
  await pass(5.7 * PAUSE_MS);
  expect(seen.looks).toBe(1);
  await pass(0.6 * PAUSE_MS);
  expect(seen.looks).toBe(2);
});

it('runs when it is woken: once for all calls during a run, and never twice at once', async () => {
  let finish: () => void = () => {};
  const { poller, seen } = poll(
    () =>
      new Promise((resolve) => {
        finish = resolve;
      }),
  );
  poller.start();
  poller.wake();
  poller.wake();
  expect(seen.looks).toBe(1);
  finish();
  await pass();
  expect(seen.looks).toBe(2);
  finish();
  await pass(0.7 * PAUSE_MS);
  expect(seen.looks).toBe(2);
  poller.wake();
  finish();
  await pass(0.7 * PAUSE_MS);
  // The pause starts again.
  expect(seen.looks).toBe(3);
});

it('runs only when it is woken if it was not started', async () => {
  const { poller, seen } = poll();
  await poller.idle();
  await pass(10 * PAUSE_MS);
  expect(seen.looks).toBe(1);
});

it('continues after an error, and reports the error', async () => {
  const error = new Error('the database is away');
  const { poller, seen } = poll(async (look) => {
    if (look === 1) throw error;
  });
  poller.start();
  await pass(LONGEST_MS);
  expect(seen).toEqual({ looks: 2, errors: [error] });
});

it('stops for good after the run in progress', async () => {
  let finish: () => void = () => {};
  const { poller, seen } = poll(
    () =>
      new Promise((resolve) => {
        finish = resolve;
      }),
  );
  poller.start();
  poller.wake();
  let isOver = false;
  const stopped = poller.stop().then(() => {
    isOver = true;
  });
  expect(poller.isStopped).toBe(true);
  await pass();
  expect(isOver).toBe(false);
  finish();
  await stopped;
  poller.wake();
  await poller.idle();
  await pass(10 * PAUSE_MS);
  expect(seen.looks).toBe(1);
});
