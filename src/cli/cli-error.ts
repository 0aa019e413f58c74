import { readFileSync } from 'node:fs';
import { hasErrno } from '../lib/errors.ts';

export const EXIT = { ok: 0, notDone: 1, someFailed: 2 } as const;

/** A problem that ends the command. Its message tells the operator what is wrong and what to do. */
export class CliError extends Error {
  readonly exitCode: number;
  constructor(message: string, exitCode: number = EXIT.notDone) {
    super(message);
    this.name = 'CliError';
    this.exitCode = exitCode;
  }
}

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? 'unknown error';

export function writeError(name: string, error: unknown): CliError {
  if (error instanceof CliError) return error;
  const why = hasErrno(error, 'ENOSPC') ? 'the disk is full' : codeOf(error);
  return new CliError(`${name} cannot be written: ${why}.`);
}

/**
 * Runs work that writes to a file or a directory.
 * @throws {CliError} if the work fails; the message says that the file cannot be written, and why
 */
export function writing<Result>(name: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw writeError(name, error);
  }
}

/**
 * @param name the file as messages name it, such as `--mapping answers.json`
 * @throws {CliError} if the file cannot be read
 */
export function readTextFile(path: string, name: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new CliError(`${name} cannot be read (${codeOf(error)}). Name a file that you may read.`);
  }
}
