import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { startArguments } from '../test/support/start-command.ts';

export interface CompiledService {
  child: ChildProcessByStdio<null, Readable, null>;
  url: string;
}

/**
 * Starts the compiled service, as `npm start` does. Resolves when it is ready. Requires a build.
 * @param onLine receives each line of the log
 * @param directory of a compiled version, this one by default
 */
export async function startCompiledService(
  env: Record<string, string>,
  stderr: 'ignore' | 'inherit',
  onLine: (line: string) => void = () => {},
  directory = join(import.meta.dirname, '..'),
): Promise<CompiledService> {
  const child = spawn(process.execPath, startArguments(join(directory, 'dist/main.js')), {
    env: { ...process.env, PORT: '0', ...env },
    stdio: ['ignore', 'pipe', stderr],
  });
  const lines = createInterface({ input: child.stdout }).on('line', onLine);
  const url = await new Promise<string>((resolve, reject) => {
    lines.on('line', (line) => {
      const { msg, url } = JSON.parse(line);
      if (msg === 'ready') resolve(url);
    });
    lines.once('close', () => reject(new Error('the service ended before it was ready')));
  });
  return { child, url };
}
