import { useEffect, useState } from 'preact/hooks';
import { isRefused } from './api.js';

/** Longest pause after errors, in ms. */
const MAX_ERROR_PAUSE_MS = 60_000;

/** How much longer the pause grows while answers stay the same. */
const MAX_QUIET_FACTOR = 8;

/**
 * Asks again and again while the tab is seen: less often while nothing changes, and less and less often after errors.
 * @template T
 * @param {(signal: AbortSignal) => Promise<T>} load
 * @param {(data: T) => number | undefined} pauseOf ms until the next look; undefined: no more
 * @param {readonly unknown[]} about what is asked for: it begins anew when this changes
 * @returns {{data: T | undefined, error: unknown, reload(): void}}
 */
export function usePolled(load, pauseOf, about) {
  const [round, setRound] = useState(0);
  const [state, setState] = useState(/** @type {{data?: T, error?: unknown}} */ ({}));
  useEffect(() => {
    const gone = new AbortController();
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    let timer;
    let isAsking = false;
    let errors = 0;
    let quiet = 0;
    let last = '';

    const ask = async () => {
      if (document.hidden || isAsking) return;
      isAsking = true;
      const pauseMs = await look().catch((error) => {
        if (!gone.signal.aborted) setState((before) => ({ ...before, error }));
        errors += 1;
        return isRefused(error) ? undefined : Math.min(1000 * 2 ** errors, MAX_ERROR_PAUSE_MS);
      });
      isAsking = false;
      if (!gone.signal.aborted && pauseMs !== undefined) timer = setTimeout(ask, pauseMs);
    };
    const look = async () => {
      const data = await load(gone.signal);
      if (gone.signal.aborted) return undefined;
      errors = 0;
      const text = JSON.stringify(data);
      quiet = text === last ? quiet + 1 : 0;
      last = text;
      setState({ data });
      const pauseMs = pauseOf(data);
      return pauseMs && pauseMs * Math.min(1.5 ** quiet, MAX_QUIET_FACTOR);
    };
    const onVisibility = () => {
      clearTimeout(timer);
      quiet = 0;
      void ask();
    };

    document.addEventListener('visibilitychange', onVisibility);
    void ask();
    return () => {
      gone.abort();
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', onVisibility);
    };
  }, [...about, round]);
  return { data: state.data, error: state.error, reload: () => setRound((number) => number + 1) };
}
