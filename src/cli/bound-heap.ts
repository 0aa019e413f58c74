import { PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

/**
 * Maximum size of V8's space for new objects. Some batches of export rows fit into it. V8 would let it grow
 * to 32 MiB, which makes the command no faster.
 */
const NEW_SPACE_BYTES = 8 * 1024 * 1024;

/**
 * Limits the JavaScript heap, so that memory does not grow with the number of imported rows. With V8's
 * defaults, five million rows took half as much memory again as fifty thousand, all of it garbage. With these
 * settings, the heap may grow by 40 % between collections, and the space for new objects stops growing at
 * NEW_SPACE_BYTES. A maximum for that space can only be set on the command line of node. Its growth factor
 * can be changed at run time, so an observer sets the factor to 1 once the space is large enough.
 */
export function boundHeap(): void {
  setFlagsFromString('--heap-growing-percent=40');
  const collections = new PerformanceObserver(() => {
    const newSpace = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space');
    if (newSpace === undefined || newSpace.space_size < NEW_SPACE_BYTES) return;
    setFlagsFromString('--semi-space-growth-factor=1');
    collections.disconnect();
  });
  collections.observe({ entryTypes: ['gc'] });
}
