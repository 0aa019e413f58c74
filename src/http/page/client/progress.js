import { useEffect, useRef, useState } from 'preact/hooks';
import { countText, durationText, numberText, percentText } from './format.js';
import { html } from './html.js';
import { OutcomeBar } from './import-state.js';

/** @typedef {import('../answers.ts').Import} Import */

/** Milliseconds between two announcements of progress to a screen reader. */
const ANNOUNCE_MS = 10_000;

/** @param {{one: Import, isLive: boolean, state: string}} props */
export function Progress({ one, isLive, state }) {
  const text = linesText(one) + (isLive && one.linesPerSecond > 0 ? rateText(one) : '');
  return html`
    <p>${text}</p>
    <${OutcomeBar} one=${one} />
    <${ScreenReaderStatus} text=${`${state}: ${text}`} about=${state} />
  `;
}

/** @param {Import} one */
function linesText({ lines, total }) {
  if (total === undefined) return countText(lines, 'line');
  if (lines > total)
    return `${countText(lines, 'line')}, more than the ${numberText(total)} that were announced`;
  const part = total === 0 ? '' : ` (${percentText(lines / total)})`;
  return `${numberText(lines)} of ${countText(total, 'line')}${part}`;
}

/** Says the average rate, and the time left at this rate if the sender announced a total. @param {Import} one */
function rateText({ lines, total = 0, linesPerSecond }) {
  const left = durationText(((total - lines) * 1000) / linesPerSecond);
  return `, ${numberText(linesPerSecond)} lines a second${total > lines ? `, about ${left} left` : ''}`;
}

/**
 * Announces progress to a screen reader: at intervals, and at once if `about`, the state of the import,
 * changes.
 * @param {{text: string, about: string}} props
 */
function ScreenReaderStatus({ text, about }) {
  const [announced, setAnnounced] = useState('');
  const newest = useRef(text);
  newest.current = text;
  useEffect(() => {
    const announce = () => setAnnounced(newest.current);
    announce();
    const timer = setInterval(announce, ANNOUNCE_MS);
    return () => clearInterval(timer);
  }, [about]);
  return html`<p class="unseen" role="status">${announced}</p>`;
}
