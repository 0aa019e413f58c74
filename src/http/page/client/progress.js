import { useEffect, useRef, useState } from 'preact/hooks';
import { countText, durationText, numberText, percentText } from './format.js';
import { html } from './html.js';
import { OutcomeBar } from './import-state.js';

/**
 * @typedef {import('../answers.ts').Import} Import
 * @typedef {{atMs: number, lines: number}} Sample Number of finished lines at a time.
 */

/** Milliseconds between two announcements of progress to a screen reader. */
const ANNOUNCE_MS = 10_000;

/** Maximum number of samples that a chart of some hundred pixels can show. They cover more than five minutes. */
const MOST = 400;

const WINDOW_MS = 10_000;

/** @param {{one: Import, isLive: boolean, state: string}} props */
export function Progress({ one, isLive, state }) {
  const samples = useSamples(one, isLive);
  const rate = isLive ? rateOf(samples) : undefined;
  const left = rate ? leftText(one, rate) : '';
  const text = [
    linesText(one),
    ...(rate === undefined ? [] : [`${numberText(Math.round(rate))} lines a second`]),
    ...(left === '' ? [] : [left]),
  ].join(', ');
  return html`
    <p>${text}</p>
    <${OutcomeBar} one=${one} />
    <${ScreenReaderStatus} text=${`${state}: ${text}`} about=${state} />
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

/**
 * Returns the samples of an import's progress since the page showed the import.
 * @param {Import} one
 * @param {boolean} isLive
 * @returns {readonly Sample[]}
 */
function useSamples(one, isLive) {
  const samples = useRef(/** @type {Sample[]} */ ([]));
  const seen = useRef(/** @type {unknown} */ (undefined));
  if (seen.current !== one) {
    seen.current = one;
    const last = samples.current.at(-1);
    // A repeated dry run counts its lines from zero again. Older samples would make the rate negative.
    if (last !== undefined && one.lines < last.lines) samples.current = [];
    if (isLive || one.lines !== last?.lines) {
      samples.current = [...samples.current, { atMs: performance.now(), lines: one.lines }].slice(-MOST);
    }
  }
  return samples.current;
}

/**
 * Undefined if the samples cover less than half a second.
 * @param {readonly Sample[]} samples
 */
function rateOf(samples) {
  const last = samples.at(-1);
  const first = samples.find(({ atMs }) => last && atMs >= last.atMs - WINDOW_MS);
  if (!first || !last || last.atMs - first.atMs < 500) return undefined;
  return ((last.lines - first.lines) * 1000) / (last.atMs - first.atMs);
}

const WIDTH = 600;
const HEIGHT = 120;

/**
 * The drawing is stretched to the width of the page; its labels stand beside it, so that they keep their
 * size.
 * @param {{samples: readonly Sample[]}} props
 */
function RateChart({ samples }) {
  const rates = samples.slice(1).map(({ atMs, lines }, index) => {
    const before = samples[index] ?? { atMs, lines };
    return { atMs, rate: ((lines - before.lines) * 1000) / Math.max(1, atMs - before.atMs) };
  });
  const [first, last] = [rates[0], rates.at(-1)];
  if (!first || !last || last.atMs <= first.atMs) return null;
  const highest = Math.max(...rates.map(({ rate }) => rate));
  const top = niceAbove(highest);
  const spanMs = last.atMs - first.atMs;
  const points = rates
    .map(({ atMs, rate }) => [((atMs - first.atMs) / spanMs) * WIDTH, HEIGHT - (rate / top) * HEIGHT])
    .map((point) => point.map((value) => value.toFixed(1)).join(','))
    .join(' ');
  const what = `Lines a second over the last ${durationText(spanMs)}`;
  const label = `${what}: now ${numberText(Math.round(last.rate))}, at most ${numberText(Math.round(highest))}.`;
  return html`
    <figure class="chart">
      <figcaption>${what}</figcaption>
      <div class="scale" aria-hidden="true">
        <span>${numberText(top)}</span><span>${numberText(top / 2)}</span><span>0</span>
      </div>
      <svg role="img" aria-label=${label} viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none">
        ${[0, HEIGHT / 2, HEIGHT].map((y) => html`<line class="grid" x1="0" x2=${WIDTH} y1=${y} y2=${y} />`)}
        <polygon class="area" points="0,${HEIGHT} ${points} ${WIDTH},${HEIGHT}" />
        <polyline class="rate" points=${points} />
      </svg>
    </figure>
  `;
}

/**
 * Returns the upper end of the scale: the next of 2, 4, 10, 20, 40, … Its half is whole, and labels the
 * middle.
 * @param {number} rate
 */
function niceAbove(rate) {
  const power = 10 ** Math.floor(Math.log10(Math.max(rate, 1)));
  return [1, 2, 4, 10].map((step) => step * power).find((one) => one >= rate && one >= 2) ?? 10 * power;
}
