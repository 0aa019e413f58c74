/** @typedef {import('../answers.ts').Import} Import */

/** Milliseconds without progress after which a running import is shown as silent. */
const SILENT_MS = 60_000;

/**
 * @param {Import} one
 * @param {number} now time of the service's clock
 * @returns {{text: string, tone: 'live' | 'done' | 'warn'}}
 */
export function stateOf(one, now) {
  if (one.status === 'ROLLED_BACK') return { text: 'Rolled back', tone: 'warn' };
  if (one.status === 'ROLLBACK_UNFINISHED') return { text: 'Rollback unfinished', tone: 'warn' };
  if (isLive(one, now)) return { text: 'Running', tone: 'live' };
  if (one.status === 'FINISHED') return { text: 'Finished', tone: 'done' };
  return one.running ? { text: 'Silent', tone: 'warn' } : { text: 'Broken off', tone: 'warn' };
}

/**
 * @param {Import} one
 * @param {number} now time of the service's clock
 */
export const isLive = (one, now) =>
  one.running && one.status === 'UNFINISHED' && now - (one.updatedAt ?? 0) < SILENT_MS;

export const OUTCOMES = /** @type {const} */ (['created', 'updated', 'skipped', 'failed']);
