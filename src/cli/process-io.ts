import type { Io } from './terminal/terminal.ts';

/** Signals that ask to end, and the exit code that shells know each by. SIGHUP: the terminal was closed. */
const SIGNALS = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

/** This process, as commands see it. */
export function processIo(): Io {
  // Whoever writes is told: without a listener it would end the process.
  process.stdout.on('error', () => {});
  // A terminal that is gone. The work goes on.
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
