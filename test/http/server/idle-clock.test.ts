import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { IdleClock } from '../../../src/http/server/idle-clock.ts';

const IDLE_MS = 1000;

let clock: IdleClock;
const onIdle = vi.fn();
beforeEach(() => {
  vi.useFakeTimers();
  onIdle.mockClear();
  clock = new IdleClock(IDLE_MS);
  clock.start(onIdle);
});
afterEach(() => {
  clock.stop();
  vi.useRealTimers();
});

it('tells when nothing comes for so long', () => {
  vi.advanceTimersByTime(IDLE_MS - 1);
  clock.restart();
  vi.advanceTimersByTime(IDLE_MS - 1);
  expect(onIdle).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(onIdle).toHaveBeenCalledOnce();
});

it('does not count while something is in hand, and then counts anew', () => {
  clock.pause();
  clock.pause();
  vi.advanceTimersByTime(10 * IDLE_MS);
  clock.resume();
  vi.advanceTimersByTime(10 * IDLE_MS);
  clock.resume();
  vi.advanceTimersByTime(IDLE_MS - 1);
  expect(onIdle).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(onIdle).toHaveBeenCalledOnce();
});

it('tells nothing once it is stopped', () => {
  clock.stop();
  clock.pause();
  clock.resume();
  vi.advanceTimersByTime(10 * IDLE_MS);
  expect(onIdle).not.toHaveBeenCalled();
});
