import { hasErrno } from '../lib/errors.ts';

/** What the process ends with: all in, did not run or was not finished, some rows failed. */
export const EXIT = { ok: 0, notDone: 1, someFailed: 2 } as const;

/** Why a command ended before its work was done. The message is for people: what is wrong, and what to do. */
export class Stopped extends Error {
  readonly exitCode: number;
  constructor(message: string, options: { exitCode?: number; cause?: unknown } = {}) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined);
    this.name = 'Stopped';
    this.exitCode = options.exitCode ?? EXIT.notDone;
  }
}

/** Why what was to be written was not. */
export function unwritable(name: string, error: unknown): Stopped {
  if (error instanceof Stopped) return error;
  const why = hasErrno(error, 'ENOSPC')
    ? 'the disk is full'
    : ((error as NodeJS.ErrnoException).code ?? 'unknown error');
  return new Stopped(`${name} cannot be written: ${why}.`, { cause: error });
}
