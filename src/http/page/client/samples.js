import { useRef } from 'preact/hooks';

/** @typedef {{atMs: number, lines: number}} Sample Number of finished lines at a time. */

/**
 * Maximum number of samples that a chart of some hundred pixels can show. They cover more than five minutes.
 */
const MOST = 400;

const WINDOW_MS = 10_000;

/**
 * Returns the samples of an import's progress since the page showed the import.
 * @param {import('../answers.ts').Import} one
 * @param {boolean} isLive
 * @returns {readonly Sample[]}
 */
export function useSamples(one, isLive) {
  const samples = useRef(/** @type {Sample[]} */ ([]));
  const seen = useRef(/** @type {unknown} */ (undefined));
  if (seen.current !== one) {
    seen.current = one;
    const last = samples.current.at(-1);
    // A repeated dry run counts its lines from zero again. Older samples would make the rate negative.
    if (last !== undefined && one.lines < last.lines) samples.current = [];
    if (isLive || one.lines !== last?.lines) {
      samples.current = [...samples.current, { atMs: performance.now(), lines: one.lines }].slice(-MOST);
    }
  }
  return samples.current;
}

/**
 * Undefined if the samples cover less than half a second.
 * @param {readonly Sample[]} samples
 */
export function rateOf(samples) {
  const last = samples.at(-1);
  const first = samples.find(({ atMs }) => last && atMs >= last.atMs - WINDOW_MS);
  if (!first || !last || last.atMs - first.atMs < 500) return undefined;
  return ((last.lines - first.lines) * 1000) / (last.atMs - first.atMs);
}

/** @param {readonly Sample[]} samples */
export const ratesOf = (samples) =>
  samples.slice(1).map(({ atMs, lines }, index) => {
    const before = samples[index] ?? { atMs, lines };
    return { atMs, rate: ((lines - before.lines) * 1000) / Math.max(1, atMs - before.atMs) };
  });
