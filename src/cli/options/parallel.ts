import { CliError } from '../cli-error.ts';

const MAX_PARALLEL = 64;

/** @throws {CliError} if the number is out of range */
export function readParallel(text: string | undefined): number {
  if (text === undefined) return 1;
  const parallel = /^[1-9]\d?$/.test(text) ? Number(text) : 0;
  if (parallel < 1 || parallel > MAX_PARALLEL)
    throw new CliError(`--parallel: expected a whole number from 1 to ${MAX_PARALLEL}, got ${text}`);
  return parallel;
}
