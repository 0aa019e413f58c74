import { useEffect, useState } from 'preact/hooks';
import { html, Trouble } from './parts.js';

const MAX_ERROR_PAUSE_MS = 60_000;

/** Maximum factor by which the pause between two requests grows while their answers stay the same. */
const MAX_QUIET_FACTOR = 8;

/**
 * Calls `load` repeatedly while the browser tab is visible. The pause between calls grows while the data
 * stays the same, and doubles after each error.
 * @template T
 * @param {(signal: AbortSignal) => Promise<T>} load
 * @param {(data: T) => number} pauseOf returns milliseconds
 * @param {readonly unknown[]} about values on which `load` depends; polling restarts when one changes
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
        return Math.min(1000 * 2 ** errors, MAX_ERROR_PAUSE_MS);
      });
      isAsking = false;
      if (!gone.signal.aborted) timer = setTimeout(ask, pauseMs);
    };
    const look = async () => {
      const data = await load(gone.signal);
      gone.signal.throwIfAborted();
      errors = 0;
      const text = JSON.stringify(data);
      quiet = text === last ? quiet + 1 : 0;
      last = text;
      setState({ data });
      return pauseOf(data) * Math.min(1.5 ** quiet, MAX_QUIET_FACTOR);
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

/**
 * Loads data repeatedly, and shows it.
 * @template T
 * @param {{load(signal: AbortSignal): Promise<T>, pauseOf(data: T): number, show(data: T): unknown}} props
 *   `pauseOf` returns milliseconds
 */
export function Polled({ load, pauseOf, show }) {
  const { data, error } = usePolled(load, pauseOf, []);
  return html`
    <${Trouble} error=${error} />
    ${data === undefined ? html`<p role="status">Loading…</p>` : show(data)}
  `;
}
