import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { inject, onTestFinished, type TestContext } from 'vitest';
import { until } from '../../src/lib/async/until.ts';
import { API_KEY } from '../support/app.ts';

export const COMMAND = [process.execPath, join(inject('compiled').directory, 'test/cli/toy-cli.js')] as const;
export const ENV = { PATH: process.env.PATH ?? '', USER_IMPORT_API_KEY: API_KEY, TERM: 'xterm' };
const PROJECT = join(import.meta.dirname, '../..');

export class Tool {
  readonly child: ChildProcess;
  output = '';
  constructor(command: readonly string[], env: NodeJS.ProcessEnv = ENV) {
    const [program = '', ...args] = command;
    this.child = spawn(program, args, { env, cwd: PROJECT, stdio: 'pipe' });
    for (const stream of [this.child.stdout, this.child.stderr]) {
      stream?.on('data', (text) => {
        this.output += text;
      });
    }
    onTestFinished(() => void this.child.kill('SIGKILL'));
  }

  type(text: string): void {
    this.child.stdin?.write(text);
  }

  async says(text: string): Promise<void> {
    if (await until(() => this.output.includes(text), 15_000)) return;
    throw new Error(`it did not say ${text}, but:\n${this.output}`);
  }

  async ended(): Promise<number | null> {
    if (this.child.exitCode === null && this.child.signalCode === null) await once(this.child, 'close');
    return this.child.exitCode;
  }
}

export const tool = (...args: string[]) => new Tool([...COMMAND, ...args]);

/** Runs the tool on a pseudo-terminal, made by `script` of util-linux, which passes on what is typed. */
export function onTerminal(
  context: TestContext,
  args: readonly string[],
  env: NodeJS.ProcessEnv = ENV,
  width = 100,
): Tool {
  try {
    execFileSync('script', ['--version'], { stdio: 'ignore' });
  } catch {
    if (process.env.CI === undefined) context.skip('script is not installed');
  }
  const command = [...COMMAND, ...args].map((word) => `'${word}'`).join(' ');
  return new Tool(['script', '-qefc', `stty cols ${width}; ${command}`, '/dev/null'], env);
}
