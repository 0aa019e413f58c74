import { setTimeout as sleep } from 'node:timers/promises';

/** Short beside anything that is waited for here: processes and servers that start or end. */
const PAUSE_MS = 20;

/** Looks again and again until `condition` holds. Returns false when `timeoutMs` passed first. */
export async function until(
  condition: () => boolean | Promise<boolean>,
  timeoutMs: number,
): Promise<boolean> {
  const deadline = performance.now() + timeoutMs;
  while (!(await condition())) {
    if (performance.now() > deadline) return false;
    await sleep(PAUSE_MS);
  }
  return true;
}
