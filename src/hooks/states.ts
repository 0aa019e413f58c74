import type { MovedLogin } from './moved-store.ts';

const DAY_MS = 24 * 60 * 60_000;

/** Callers that do not know who waits repeat a first sign-in whose answer was lost. */
const REPEAT_MS = 10 * 60_000;

/**
 * Returns whether a right password of a login is a match. A password that was changed at the provider is never accepted
 * here in place of the new one.
 * @param moved undefined if the login waits
 * @param asksWhileWaiting whether the provider asks only as long as it has no password of the user
 */
export function isAnswered(
  moved: MovedLogin | undefined,
  { asksWhileWaiting, keepDays, nowMs }: { asksWhileWaiting: boolean; keepDays: number; nowMs: number },
): boolean {
  if (moved === undefined) return true;
  if (moved.state !== 'moved') return false;
  return asksWhileWaiting
    ? nowMs - moved.lastMatchMs < keepDays * DAY_MS
    : nowMs - moved.movedAtMs < REPEAT_MS;
}
