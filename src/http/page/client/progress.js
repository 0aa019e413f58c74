import { useEffect, useRef, useState } from 'preact/hooks';
import { countText, durationText, numberText, percentText } from './format.js';
import { html } from './html.js';
import { RateChart } from './rate-chart.js';
import { rateOf, useSamples } from './samples.js';

/** @typedef {import('../answers.ts').Import} Import */

/** Milliseconds between two announcements of progress to a screen reader. */
const ANNOUNCE_MS = 10_000;

/** @param {{one: Import, isLive: boolean, stateText: string}} props */
export function Progress({ one, isLive, stateText }) {
  const samples = useSamples(one, isLive);
  const rate = rateOf(samples);
  const parts = [linesText(one)];
  if (isLive && rate !== undefined) parts.push(`${numberText(Math.round(rate))} lines a second`);
  const left = isLive && rate ? leftText(one, rate) : '';
  if (left) parts.push(left);
  const text = parts.join(', ');
  return html`
    <p>${text}</p>
    ${
      one.total !== undefined &&
      one.total > 0 &&
      html`<progress max=${one.total} value=${Math.min(one.lines, one.total)} aria-label="Lines done" />`
    }
    <${ScreenReaderStatus} text=${`${stateText}: ${text}`} about=${stateText} />
    ${samples.length > 2 && html`<${RateChart} samples=${samples} />`}
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

/**
 * Empty if the sender announced no total, or if all announced lines are done.
 * @param {Import} one
 * @param {number} rate in lines per second
 */
const leftText = ({ lines, total = 0 }, rate) =>
  total > lines ? `about ${durationText(((total - lines) / rate) * 1000)} left` : '';

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
