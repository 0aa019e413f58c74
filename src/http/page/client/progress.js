import { useEffect, useRef, useState } from 'preact/hooks';
import { countText, durationText, numberText, percentText } from './format.js';
import { html } from './html.js';
import { RateChart } from './rate-chart.js';
import { rateOf, useSamples } from './samples.js';

/** @typedef {import('../answers.ts').Import} Import */

/** Time between two announcements of progress to a screen reader, in ms. */
const TOLD_EVERY_MS = 10_000;

/**
 * How far it is: a bar where the total is known, the rate as a line while it runs.
 * @param {{one: Import, isLive: boolean, stateText: string}} props
 */
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
    <${Told} text=${`${stateText}: ${text}`} about=${stateText} />
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

/** @param {Import} one @param {number} rate lines a second */
const leftText = ({ lines, total = 0 }, rate) =>
  total > lines ? `about ${durationText(((total - lines) / rate) * 1000)} left` : '';

/**
 * Tells a screen reader: now and then, and at once when the import comes into another state.
 * @param {{text: string, about: string}} props
 */
function Told({ text, about }) {
  const [told, setTold] = useState('');
  const newest = useRef(text);
  newest.current = text;
  useEffect(() => {
    const tell = () => setTold(newest.current);
    tell();
    const timer = setInterval(tell, TOLD_EVERY_MS);
    return () => clearInterval(timer);
  }, [about]);
  return html`<p class="unseen" role="status">${told}</p>`;
}
