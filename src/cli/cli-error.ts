import { readFileSync } from 'node:fs';
import { hasErrno } from '../lib/errors.ts';

export const EXIT = { ok: 0, notDone: 1, someFailed: 2 } as const;

/** A problem that ends the command. Its message tells the operator what is wrong and what to do. */
export class CliError extends Error {
  readonly exitCode: number;
  constructor(message: string, options: { exitCode?: number; cause?: unknown } = {}) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined);
    this.name = 'CliError';
    this.exitCode = options.exitCode ?? EXIT.notDone;
  }
}

export function writeError(name: string, error: unknown): CliError {
  if (error instanceof CliError) return error;
  const why = hasErrno(error, 'ENOSPC')
    ? 'the disk is full'
    : ((error as NodeJS.ErrnoException).code ?? 'unknown error');
  return new CliError(`${name} cannot be written: ${why}.`, { cause: error });
}

/**
 * @param name what the operator calls the file, for the message
 * @throws {CliError} if the file cannot be read
 */
export function readTextFile(path: string, name: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new CliError(`${name} cannot be read (${code}). Name a file that you may read.`);
  }
}
