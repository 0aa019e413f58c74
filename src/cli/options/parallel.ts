import { Stopped } from '../stopped.ts';

const MOST = 64;

/**
 * Parses --parallel, the number of parts that are sent at the same time.
 * @throws {Stopped} if it is out of range
 */
export function readParallel(text: string | undefined): number {
  if (text === undefined) return 1;
  const parallel = /^[1-9]\d?$/.test(text) ? Number(text) : 0;
  if (parallel < 1 || parallel > MOST)
    throw new Stopped(`--parallel: expected a whole number from 1 to ${MOST}, got ${text}`);
  return parallel;
}
