import { Bar, html } from './parts.js';

/** @typedef {import('../answers.ts').Import} Import */

/** Milliseconds without progress after which a running import is shown as silent. */
const SILENT_MS = 60_000;

/** Returns the name of the import, or its id if no name was sent. @param {Import} one */
export const nameOf = ({ name, importId }) => name ?? importId;

/**
 * @param {Import} one
 * @param {number} now time of the service's clock
 */
export const isLive = (one, now) =>
  one.running && one.status === 'UNFINISHED' && now - (one.updatedAt ?? 0) < SILENT_MS;

/**
 * @param {Import} one
 * @param {number} now time of the service's clock
 */
export function stateOf(one, now) {
  if (one.status === 'ROLLED_BACK') return 'Rolled back';
  if (one.status === 'ROLLBACK_UNFINISHED') return 'Rollback unfinished';
  if (isLive(one, now)) return 'Running';
  if (one.status === 'FINISHED') return 'Finished';
  return one.running ? 'Silent' : 'Broken off';
}

/** @param {{one: Import, now: number}} props */
export function Badges({ one, now }) {
  const state = stateOf(one, now);
  const isBad = one.failed > one.lines / 2;
  const tone = isBad ? 'bad' : state === 'Running' ? 'new' : state === 'Finished' ? 'good' : 'warn';
  return html`
    ${one.dryRun && html`<span class="badge">Dry run</span>`}
    <span class="badge ${tone}">${state}${isBad && (one.failed === one.lines ? ', all failed' : ', most failed')}</span>
  `;
}

/** @type {readonly ['created' | 'updated' | 'skipped' | 'failed', import('./parts.js').Part['tone']][]} */
const OUTCOMES = [
  ['created', 'good'],
  ['updated', 'new'],
  ['skipped', 'warn'],
  ['failed', 'bad'],
];

/**
 * Shows the outcomes of an import. While it is unfinished and its number of lines is unknown, there is no bar, because
 * the bar would always be full.
 * @param {{one: Import, isBrief?: boolean}} props `isBrief`: leaves out outcomes without lines
 */
export function OutcomeBar({ one, isBrief = false }) {
  const { lines, total, status } = one;
  const whole = status === 'UNFINISHED' ? total && Math.max(lines, total) : lines;
  const parts = OUTCOMES.map(([text, tone]) => ({ text, tone, count: one[text] }));
  const shown = isBrief ? parts.filter(({ text, count }) => text === 'created' || count > 0) : parts;
  return html`<${Bar} parts=${shown} whole=${whole} label=${isBrief || status !== 'UNFINISHED' ? undefined : 'Lines done'} />`;
}
