import { Readable, Writable } from 'node:stream';
import { runCommandLine } from '../../../src/cli/run-command-line.ts';

class Sink extends Writable {
  text = '';
  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString();
    done();
  }
}

/** Runs the tool in this process, outside of a test. */
export async function runInMemory(
  args: readonly string[],
): Promise<{ code: number; stdout: string; stderr: string }> {
  const stdout = new Sink();
  const stderr = new Sink();
  const code = await runCommandLine({
    args,
    io: {
      stdin: Readable.from([]),
      stdout,
      stderr,
      env: {},
      onSignal: () => () => {},
      exit(exitCode) {
        throw new Error(`ended with ${exitCode}`);
      },
    },
    version: '0',
  });
  return { code, stdout: stdout.text, stderr: stderr.text };
}
