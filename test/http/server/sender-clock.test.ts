import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LEAST_BYTES_PER_SECOND } from '../../../src/http/server/connections.ts';
import { SenderClock } from '../../../src/http/server/streamed.ts';

const LIMIT_MS = 30_000;
const HOUR_MS = 3_600_000;

let clock: SenderClock;
const onLate = vi.fn();
beforeEach(() => {
  vi.useFakeTimers();
  onLate.mockClear();
  clock = new SenderClock(LIMIT_MS);
  clock.start(onLate);
});
afterEach(() => {
  clock.stop();
  vi.useRealTimers();
});

/**
 * Sends pieces until the clock reports the sender as too slow, for an hour at most. Returns how many ms that
 * took.
 */
function sendUntilLate(bytes: number, everyMs: number, onReceived: () => void = () => {}): number {
  const start = Date.now();
  while (onLate.mock.calls.length === 0 && Date.now() - start < HOUR_MS) {
    clock.wait();
    vi.advanceTimersByTime(everyMs);
    clock.receive(bytes);
    onReceived();
  }
  return Date.now() - start;
}

it('reports once that nothing has arrived for the allowed time', () => {
  clock.wait();
  vi.advanceTimersByTime(LIMIT_MS - 1);
  expect(onLate).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(onLate).toHaveBeenCalledOnce();
  vi.advanceTimersByTime(10 * LIMIT_MS);
  expect(onLate).toHaveBeenCalledOnce();
});

describe('a sender', () => {
  it.each([
    ['a byte every 29 s', 1, 29_000],
    ['a byte a second', 1, 1000],
    ['a byte every 100 ms', 1, 100],
    ['two bytes a line, ten lines a second', 2, 100],
    ['a line of 200 bytes every 10 s', 200, 10_000],
    [`little less than ${LEAST_BYTES_PER_SECOND} bytes a second`, LEAST_BYTES_PER_SECOND - 20, 1000],
  ])('of %s is too slow', (_what, bytes, everyMs) => {
    expect(sendUntilLate(bytes, everyMs)).toBeLessThan(5 * LIMIT_MS + everyMs);
  });

  it.each([
    ['a user a second', 150, 1000],
    ['a packet every 14 s', 1460, 14_000],
    ['a block just within the time it may be silent', 65_536, LIMIT_MS - 1],
    [`${LEAST_BYTES_PER_SECOND} bytes a second`, LEAST_BYTES_PER_SECOND, 1000],
  ])('of %s is fast enough', (_what, bytes, everyMs) => {
    expect(sendUntilLate(bytes, everyMs)).toBeGreaterThanOrEqual(HOUR_MS);
    expect(onLate).not.toHaveBeenCalled();
  });

  it('cannot save up for a longer silence', () => {
    clock.wait();
    clock.receive(1_000_000_000);
    clock.wait();
    vi.advanceTimersByTime(LIMIT_MS);
    expect(onLate).toHaveBeenCalledOnce();
  });

  it('does not gain time by having the service process each byte', () => {
    const work = () => {
      clock.pause();
      vi.advanceTimersByTime(50);
      clock.resume();
    };
    expect(sendUntilLate(1, 1000, work)).toBeLessThan(2 * LIMIT_MS);
  });
});

it('is not charged for the time in which the service does not wait for bytes', () => {
  clock.wait();
  vi.advanceTimersByTime(LIMIT_MS - 10);
  clock.receive(0);
  vi.advanceTimersByTime(10 * LIMIT_MS);
  clock.wait();
  vi.advanceTimersByTime(9);
  expect(onLate).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(onLate).toHaveBeenCalledOnce();
});

it('is not charged while the service works, and the clock then continues', () => {
  clock.wait();
  vi.advanceTimersByTime(LIMIT_MS - 10);
  clock.pause();
  clock.pause();
  vi.advanceTimersByTime(10 * LIMIT_MS);
  clock.resume();
  vi.advanceTimersByTime(10 * LIMIT_MS);
  clock.resume();
  vi.advanceTimersByTime(9);
  expect(onLate).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(onLate).toHaveBeenCalledOnce();
});

it('is not reported after the clock is stopped', () => {
  clock.wait();
  clock.stop();
  clock.pause();
  clock.resume();
  vi.advanceTimersByTime(10 * LIMIT_MS);
  expect(onLate).not.toHaveBeenCalled();
});
