import { retry } from '../../lib/async/retry.ts';
import { ServiceProblem } from './service-problem.ts';

const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 30_000;
/** Maximum number of tries without progress, for `seldom` problems. */
const SELDOM_TRIES = 3;

export interface RetryOptions {
  /** Time without progress after which requests are no longer retried. It may depend on the problem. */
  retryForMs: number | ((problem: ServiceProblem) => number);
  signal?: AbortSignal | undefined;
  onPause?(problem: ServiceProblem, pauseMs: number): void;
}

/**
 * Calls `work` until it succeeds. Progress resets the pauses and the time limit.
 * @param work must call `progressed` when it gets further than in any earlier attempt
 * @throws the last ServiceProblem if it cannot pass or the time is up, and any other error at once
 */
export function withRetries<T>(
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
  const decide = (error: unknown) => {
    if (!(error instanceof ServiceProblem) || error.retry === 'never') return undefined;
    signal?.throwIfAborted();
    tries += 1;
    if (error.retry === 'seldom' && tries >= SELDOM_TRIES) return undefined;
    const pauseMs = pauseAfter(tries, error.retryAfterMs);
    const mostMs = typeof retryForMs === 'number' ? retryForMs : retryForMs(error);
    if (performance.now() + pauseMs - lastProgressAtMs > mostMs) return undefined;
    onPause?.(error, pauseMs);
    return pauseMs;
  };
  return retry(() => work(progressed), decide, signal);
}

/** Pauses are shortened at random, so that clients that failed together do not return together. */
function pauseAfter(tries: number, leastMs = 0): number {
  const mostMs = Math.min(FIRST_PAUSE_MS * 2 ** (tries - 1), MAX_PAUSE_MS);
  return Math.max(leastMs, mostMs * (0.5 + Math.random() / 2));
}
