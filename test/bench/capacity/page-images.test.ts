import fc from 'fast-check';
import { expect, it } from 'vitest';
import { COSTS } from '../../../bench/capacity/costs.ts';
import { linesPerCheckpoint, touchedPages } from '../../../bench/capacity/page-images.ts';
import { SCATTERED, scatteredBytes } from '../../../bench/capacity/relations.ts';

const rowsALine = SCATTERED.reduce((sum, { scattered = 0 }) => sum + scattered, 0);

it('few rows touch a page each, many rows touch all pages', () => {
  const users = 1e9;
  expect(touchedPages(users, 1000) / (1000 * rowsALine)).toBeCloseTo(1, 3);
  expect(touchedPages(users, 1e12) / ((users * scatteredBytes) / 8192)).toBeCloseTo(1, 6);
});

it('lines and page images between two checkpoints amount to the WAL that triggers a checkpoint', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 1e11 }),
      fc.integer({ min: 1e8, max: 1e12 }),
      (stored, walBytes) => {
        const lines = linesPerCheckpoint(stored, walBytes);
        const wal =
          lines * COSTS.bulkWalBytes.value + touchedPages(stored, lines) * COSTS.leafImageBytes.value;
        expect(wal / walBytes).toBeCloseTo(1, 6);
      },
    ),
  );
});

it('the number of touched pages matches a measurement', () => {
  // bench/footprint.ts, 2026-11-22: 200,000 lines into 5,000,000 users after a checkpoint; images of four
  // indexes.
  const counted = 33_602 + 7940 + 7928 + 1314;
  expect(Math.abs(touchedPages(5_000_000, 200_000) / counted - 1)).toBeLessThan(0.1);
});
