import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { expect, onTestFinished } from 'vitest';
import { runCommandLine } from '../../src/cli/run-command-line.ts';
import type { Io } from '../../src/cli/terminal/terminal.ts';
import { API_KEY } from '../support/app.ts';
import { withToy } from './toy-source.ts';

/** Hash of `password`. */
export const BCRYPT = '$2y$10$EkVBmTI0cbPvPdnTYeVk8eIt6qpHk09C8DB5iZwHbYBu5ot2PyAnq';

export interface Finished {
  code: number;
  stdout: string;
  stderr: string;
}

export interface RunOptions {
  env?: NodeJS.ProcessEnv;
  input?: string;
  /** Whether stdin and stderr are terminals. */
  isTerminal?: boolean;
  /** Width of a terminal, which all standard streams are. */
  columns?: number;
}

/** A run of the tool in this process. */
export class CliRun {
  stdout = '';
  stderr = '';
  /** What a terminal shows: stdout and stderr. */
  output = '';
  readonly finished: Promise<Finished>;
  readonly stdin = new PassThrough();
  #listener: ((exitCode: number) => void) | undefined;
  /** Exit code of an immediate exit. */
  exited: number | undefined;

  constructor(args: readonly string[], options: RunOptions = {}) {
    const { env = {}, input, columns, isTerminal = columns !== undefined } = options;
    const into = (name: 'stdout' | 'stderr', isTTY: boolean) => {
      const write = (chunk: unknown, _encoding: unknown, done: () => void) => {
        this[name] += String(chunk);
        this.output += String(chunk);
        done();
      };
      return Object.assign(new Writable({ write }), { isTTY, columns: columns ?? 100 });
    };
    if (input !== undefined || !isTerminal) this.stdin.end(input);
    const io: Io = {
      stdin: Object.assign(this.stdin, { isTTY: isTerminal }),
      stdout: into('stdout', columns !== undefined),
      stderr: into('stderr', isTerminal),
      env: { USER_IMPORT_API_KEY: API_KEY, ...env },
      onSignal: (listener) => {
        this.#listener = listener;
        return () => {};
      },
      exit: (exitCode) => {
        this.exited = exitCode;
        throw new Error('exited');
      },
    };
    this.finished = withToy(() => runCommandLine({ args, io, version: '1.2.3' })).then((code) => ({
      code,
      stdout: this.stdout,
      stderr: this.stderr,
    }));
  }

  interrupt(): void {
    this.#listener?.(130);
  }

  /** Answers the question that ends with this text, once it is asked. */
  async answer(question: string, text: string): Promise<void> {
    await expect.poll(() => this.output, { interval: 5 }).toContain(question);
    this.stdin.write(`${text}\r`);
  }
}

export const runCli = (args: readonly string[], options?: RunOptions): Promise<Finished> =>
  new CliRun(args, options).finished;

/**
 * Splits a command line into arguments, as a shell does. A value is part of one argument, whatever its characters; a
 * list is several arguments.
 */
export function words({ raw }: TemplateStringsArray, ...values: (string | readonly string[])[]): string[] {
  const text = String.raw({ raw }, ...values.map((_, at) => `\0${at}\0`));
  return (text.match(/(?:'[^']*'|[^\s'])+/g) ?? []).flatMap((word) => {
    const [, only] = /^\0(\d+)\0$/.exec(word) ?? [];
    if (only !== undefined) return values[Number(only)] ?? [];
    return word.replaceAll(/'|\0(\d+)\0/g, (_, at?: string) =>
      at === undefined ? '' : String(values[Number(at)]),
    );
  });
}

/** Creates a directory that is removed at the end of the test. */
export function scratch(): string {
  const path = mkdtempSync(join(tmpdir(), 'uic-cli-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** Writes a file into a new directory, and returns its path. */
export function scratchFile(name: string, text: string): string {
  const path = join(scratch(), name);
  writeFileSync(path, text);
  return path;
}

/** Writes a file of toy records. Strings are written unchanged. */
export function toyFile(
  directory: string,
  records: readonly (object | string)[],
  name = 'users.ndjson',
): string {
  const path = join(directory, name);
  writeFileSync(
    path,
    records.map((one) => `${typeof one === 'string' ? one : JSON.stringify({ toy: 1, ...one })}\n`).join(''),
  );
  return path;
}

export const toyUsers = (count: number, from = 0) =>
  Array.from({ length: count }, (_, index) => ({
    id: `u${from + index}`,
    email: `user${from + index}@example.com`,
    hash: BCRYPT,
  }));

/** Parses lines, without the last line of an export. */
export const readNdjson = (text: string): Record<string, unknown>[] =>
  text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('{"export":'))
    .map((line) => JSON.parse(line));
