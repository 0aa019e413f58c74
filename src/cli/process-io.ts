import { PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import type { Io } from './terminal/terminal.ts';

/** Exit codes that shells use for signals. SIGHUP means that the terminal was closed. */
const SIGNALS = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

export function processIo(): Io {
  // Each write has a callback for its error. Without a listener, the `error` event would end the process.
  process.stdout.on('error', () => {});
  // If the terminal was closed, writing to it fails, and the import must continue.
  process.stderr.on('error', () => {});
  return {
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    env: process.env,
    exit: (exitCode) => process.exit(exitCode),
    onSignal(listener) {
      const listeners = Object.entries(SIGNALS).map(([signal, exitCode]) => {
        const onSignal = () => listener(exitCode);
        process.on(signal, onSignal);
        return () => process.off(signal, onSignal);
      });
      return () => {
        for (const off of listeners) off();
      };
    },
  };
}

/**
 * Maximum size of V8's space for new objects. With half of it, `convert` takes 2 to 9 % more time and 3 to 13 % less
 * memory. With V8's default of 32 MiB, it is no faster.
 */
const NEW_SPACE_BYTES = 16 * 1024 * 1024;

/**
 * Limits the JavaScript heap, so that memory does not grow with the number of imported rows. With V8's defaults, five
 * million rows took half as much memory again as fifty thousand, all of it garbage.
 *
 * A maximum for the space of new objects can only be set on node's command line. At run time, its growth can be stopped
 * once it is large enough.
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
