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
