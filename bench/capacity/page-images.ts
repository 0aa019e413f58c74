import { COSTS } from './costs.ts';
import { SCATTERED } from './relations.ts';

export const PAGE_BYTES = 8192;

/**
 * Returns how many pages of scattered indexes these new users touch, each page counted once. Rows are spread
 * at random: of P pages, n rows touch P × (1 − e^(−n/P)).
 * @param stored number of users before
 */
export function touchedPages(stored: number, lines: number): number {
  return SCATTERED.reduce((all, { bytes, scattered = 0 }) => {
    const pages = Math.max(1, (stored * bytes) / PAGE_BYTES);
    return all + pages * -Math.expm1((-lines * scattered) / pages);
  }, 0);
}

/**
 * Returns how many lines a bulk import writes between two checkpoints, if this much WAL triggers a
 * checkpoint. The first change of a page after a checkpoint writes the whole page to the WAL.
 * @param walBytes WAL between two checkpoints
 */
export function linesPerCheckpoint(stored: number, walBytes: number): number {
  // The result is between no lines and the number of lines that touch no page.
  let [low, high] = [0, walBytes / COSTS.bulkWalBytes.value];
  for (let step = 0; step < STEPS; step += 1) {
    const middle = (low + high) / 2;
    if (walOf(stored, middle) < walBytes) low = middle;
    else high = middle;
  }
  return high;
}

/** Number of bisections. The remaining error is far below what a plan shows. */
const STEPS = 40;

const walOf = (stored: number, lines: number) =>
  lines * COSTS.bulkWalBytes.value + touchedPages(stored, lines) * COSTS.leafImageBytes.value;
