import { durationText, numberText } from './format.js';
import { html } from './html.js';
import { ratesOf } from './samples.js';

const WIDTH = 600;
const HEIGHT = 120;

/**
 * The drawing is stretched to the width of the page; its labels stand beside it, so that they keep their
 * size.
 * @param {{samples: readonly import('./samples.js').Sample[]}} props
 */
export function RateChart({ samples }) {
  const rates = ratesOf(samples);
  const [first, last] = [rates[0], rates.at(-1)];
  if (!first || !last || last.atMs <= first.atMs) return null;
  const highest = Math.max(...rates.map(({ rate }) => rate));
  const top = niceAbove(highest);
  const spanMs = last.atMs - first.atMs;
  const points = rates.map(({ atMs, rate }) => {
    const x = ((atMs - first.atMs) / spanMs) * WIDTH;
    return `${x.toFixed(1)},${(HEIGHT - (rate / top) * HEIGHT).toFixed(1)}`;
  });
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
        <polygon class="area" points="0,${HEIGHT} ${points.join(' ')} ${WIDTH},${HEIGHT}" />
        <polyline class="rate" points=${points.join(' ')} />
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
