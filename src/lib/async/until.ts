import { setTimeout as sleep } from 'node:timers/promises';

/** Pause between two checks, short compared with the start or end of a process or server. */
const PAUSE_MS = 20;

/** Checks the condition repeatedly. Returns false if `timeoutMs` passes first. */
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
