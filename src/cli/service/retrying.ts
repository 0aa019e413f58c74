import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceProblem } from './service-problem.ts';

const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 30_000;
/** What seldom passes is tried so often without getting further. */
const SELDOM_TRIES = 3;

export interface RetryOptions {
  /** How long it may go without getting further, whatever is in the way or by what it is. */
  retryForMs: number | ((problem: ServiceProblem) => number);
  signal?: AbortSignal | undefined;
  onPause?(problem: ServiceProblem, pauseMs: number): void;
}

/**
 * Does some work again and again until it comes to its end, with longer and longer pauses. Whatever gets further begins to count anew.
 * @param work `progressed` is to be called when it has got further than ever before
 * @throws what it throws at last: a ServiceProblem that does not pass, or has not for so long, or anything else
 */
export async function retrying<T>(
  options: RetryOptions,
  work: (progressed: () => void) => Promise<T>,
): Promise<T> {
  const { retryForMs, signal, onPause } = options;
  let lastProgressAtMs = performance.now();
  let tries = 0;
  const progressed = () => {
    lastProgressAtMs = performance.now();
    tries = 0;
  };
  for (;;) {
    try {
      return await work(progressed);
    } catch (error) {
      if (!(error instanceof ServiceProblem) || error.retry === 'never') throw error;
      signal?.throwIfAborted();
      tries += 1;
      if (error.retry === 'seldom' && tries >= SELDOM_TRIES) throw error;
      const pauseMs = pauseAfter(tries, error.retryAfterMs);
      const mostMs = typeof retryForMs === 'number' ? retryForMs : retryForMs(error);
      if (performance.now() + pauseMs - lastProgressAtMs > mostMs) throw error;
      onPause?.(error, pauseMs);
      await sleep(pauseMs, undefined, signal && { signal }).catch(() => signal?.throwIfAborted());
    }
  }
}

/** Twice as long each time; by chance down to half of it, so that those who broke off together come again apart. */
function pauseAfter(tries: number, leastMs = 0): number {
  const mostMs = Math.min(FIRST_PAUSE_MS * 2 ** (tries - 1), MAX_PAUSE_MS);
  return Math.max(leastMs, mostMs * (0.5 + Math.random() / 2));
}
