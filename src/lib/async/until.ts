import { setTimeout as sleep } from 'node:timers/promises';

/** Pause between two checks, short compared with the start or end of a process or server. */
const PAUSE_MS = 20;

/** Checks the condition repeatedly. Returns false if `timeoutMs` passes first. */
export async function until(
  condition: () => boolean | Promise<boolean>,
  timeoutMs: number,
): Promise<boolean> {
  const deadline = performance.now() + timeoutMs;
  while (!(await condition())) {
    if (performance.now() > deadline) return false;
    await sleep(PAUSE_MS);
  }
  return true;
}

/** Returns undefined if the promise takes longer than `ms` milliseconds. The promise must be handled elsewhere, too. */
export async function within<T>(ms: number, promise: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, ms, undefined);
  });
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Returns the milliseconds before the next attempt, or undefined to give up. May throw another error instead.
 * @param attempt number of the failed attempt, from 1
 */
export type PauseAfter = (
  error: unknown,
  attempt: number,
) => number | undefined | Promise<number | undefined>;

/** Not for loops that repeat because of a result. The reason of `signal` is thrown if it ends a pause. */
export async function retry<T>(
  work: (attempt: number) => Promise<T>,
  pauseAfter: PauseAfter,
  signal?: AbortSignal,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work(attempt);
    } catch (error) {
      const pauseMs = await pauseAfter(error, attempt);
      if (pauseMs === undefined) throw error;
      if (pauseMs > 0) await sleep(pauseMs, undefined, signal && { signal }).catch(() => {});
      signal?.throwIfAborted();
    }
  }
}

/** Repeats at once after errors of this kind, up to `maxAttempts` attempts in all. */
export const upTo =
  (maxAttempts: number, mayPass: (error: unknown) => boolean): PauseAfter =>
  (error, attempt) =>
    attempt < maxAttempts && mayPass(error) ? 0 : undefined;
