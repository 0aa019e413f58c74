import { setTimeout as sleep } from 'node:timers/promises';

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
