import { COSTS } from './costs.ts';
import { SCATTERED } from './relations.ts';

export const PAGE_BYTES = 8192;

/**
 * Pages of scattered indexes that are touched by so many new users, each counted once. Rows come to pages at random: of P pages, n rows
 * touch P × (1 − e^(−n/P)).
 * @param stored users that are there before
 */
export function touchedPages(stored: number, lines: number): number {
  return SCATTERED.reduce((all, { bytes, scattered = 0 }) => {
    const pages = Math.max(1, (stored * bytes) / PAGE_BYTES);
    return all + pages * -Math.expm1((-lines * scattered) / pages);
  }, 0);
}

/**
 * Returns how many lines a bulk import does from one checkpoint to the next, where so much WAL begins one. A page that is touched
 * for the first time after a checkpoint goes to the WAL whole.
 * @param walBytes WAL from one checkpoint to the next
 */
export function linesPerCheckpoint(stored: number, walBytes: number): number {
  // More lines are more WAL: the answer lies between none and those that touch no page.
  let [low, high] = [0, walBytes / COSTS.bulkWalBytes.value];
  for (let step = 0; step < STEPS; step += 1) {
    const middle = (low + high) / 2;
    if (walOf(stored, middle) < walBytes) low = middle;
    else high = middle;
  }
  return high;
}

/** Of halving: far below what a plan shows. */
const STEPS = 40;

const walOf = (stored: number, lines: number) =>
  lines * COSTS.bulkWalBytes.value + touchedPages(stored, lines) * COSTS.leafImageBytes.value;
