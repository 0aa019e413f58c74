import { numberText } from './format.js';
import { html } from './html.js';
import { OUTCOMES } from './import-state.js';

/** @typedef {import('../answers.ts').Import} Import */

/** @param {{one: Import, isBrief?: boolean}} props `isBrief`: leaves out outcomes without lines */
export function OutcomeBar({ one, isBrief = false }) {
  const whole = Math.max(one.lines, one.total ?? 0, 1);
  let start = 0;
  const parts = OUTCOMES.filter((name) => one[name] > 0).map((name) => {
    const x = start;
    start += (100 * one[name]) / whole;
    return html`<rect class=${name} x="${x}%" y="0" width="${start - x}%" height="100%" />`;
  });
  return html`
    <svg class="bar" aria-hidden="true" focusable="false">${parts}</svg>
    <ul class="legend">
      ${OUTCOMES.filter((name) => !isBrief || name === 'created' || one[name] > 0).map(
        (name) =>
          html`<li key=${name}><span class="swatch ${name}" aria-hidden="true" />${numberText(one[name])} ${name}</li>`,
      )}
    </ul>
  `;
}
