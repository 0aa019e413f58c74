import { PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

/** What new objects may take: some batches of rows. V8 would go up to 32 MiB, and be no faster. */
const NEW_SPACE_BYTES = 8 * 1024 * 1024;

/**
 * Keeps memory flat, whatever the number of rows: with V8's own choices five million took half as much again as fifty thousand, all
 * of it waste. The heap grows by so much before it is cleaned, and the space for new objects no further than is of use. Its size
 * can be set on the command line of node only, so it is stopped on its way.
 */
export function boundHeap(): void {
  setFlagsFromString('--heap-growing-percent=15');
  const collections = new PerformanceObserver(() => {
    const newSpace = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space');
    if (newSpace === undefined || newSpace.space_size < NEW_SPACE_BYTES) return;
    setFlagsFromString('--semi-space-growth-factor=1');
    collections.disconnect();
  });
  collections.observe({ entryTypes: ['gc'] });
}
