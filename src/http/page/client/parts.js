import htm from 'htm';
import { h } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

/** Makes elements from a template. Inserted values are text or elements, never markup. */
export const html = htm.bind(h);

const NUMBER = new Intl.NumberFormat('en');
const PERCENT = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 0 });
const TIME = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'medium' });

export const numberText = (/** @type {number} */ number) => NUMBER.format(number);

/** Rounds down, so that only the whole is 100%. A small share is `under 1%`, never 0%. */
export const percentText = (/** @type {number} */ part) =>
  part > 0 && part < 0.01 ? 'under 1%' : PERCENT.format(Math.floor(part * 100) / 100);

/** @param {number} count @param {string} one @param {string} [more] */
export const countText = (count, one, more = `${one}s`) =>
  `${NUMBER.format(count)} ${count === 1 ? one : more}`;

/** Returns `850 ms`, `12 s`, `3 min 5 s` or `2 h 10 min`. @param {number} ms */
export function durationText(ms) {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/**
 * Heading of a view. It gets the focus when the view appears, so that a screen reader announces the view.
 * @param {{children: unknown, title: string}} props
 */
export function Heading({ children, title }) {
  const heading = useRef(/** @type {HTMLElement | null} */ (null));
  useEffect(() => heading.current?.focus(), []);
  useEffect(() => {
    document.title = `${title} – Imports`;
  }, [title]);
  return html`<h1 tabindex="-1" ref=${heading}>${children}</h1>`;
}

/** @param {unknown} error */
export const textOf = (error) => (error instanceof Error ? error.message : String(error));

/** @param {{ms: number}} props */
export const Time = ({ ms }) => html`<time datetime=${new Date(ms).toISOString()}>${TIME.format(ms)}</time>`;

/** @param {{error: unknown, advice?: string}} props */
export const Trouble = ({ error, advice = 'It is tried again.' }) =>
  error !== undefined && html`<p class="problem" role="alert">${textOf(error)} ${advice}</p>`;

/**
 * @typedef {{tone: 'good' | 'new' | 'warn' | 'bad' | 'muted', count: number, text: string}} Part
 */

/**
 * A bar, and a legend with its parts in words.
 * @param {{parts: readonly Part[], whole: number | undefined, label?: string}} props
 *   `whole`: the full length of the bar, or undefined to show no bar. `label`: what the bar shows the progress of
 */
export function Bar({ parts, whole, label }) {
  const done = parts.reduce((sum, { count }) => sum + count, 0);
  const says = label
    ? { role: 'progressbar', 'aria-label': label, 'aria-valuenow': done, 'aria-valuemax': whole }
    : { 'aria-hidden': true };
  let start = 0;
  return html`
    ${
      whole !== undefined &&
      html`<svg class="bar" focusable="false" ...${says}>
        ${parts.map(({ tone, count }) => {
          const x = start;
          start += (100 * count) / Math.max(whole, 1);
          return (
            count > 0 && html`<rect class=${tone} x="${x}%" y="0" width="${start - x}%" height="100%" />`
          );
        })}
      </svg>`
    }
    <ul class="legend">
      ${parts.map(({ tone, count, text }) => html`<li><span class="swatch ${tone}" aria-hidden="true" />${numberText(count)} ${text}</li>`)}
    </ul>
  `;
}

/**
 * Table of counts. Shows nothing if there are no rows.
 * @typedef {{key: string, name?: unknown, cells: number[]}} CountRow `name` is the key unless given
 * @param {{caption: string, head: readonly string[], rows: readonly CountRow[]}} props
 */
export function CountTable({ caption, head: [first, ...others], rows }) {
  if (rows.length === 0) return undefined;
  return html`
    <table>
      <caption>${caption}</caption>
      <thead>
        <tr><th scope="col">${first}</th>${others.map((name) => html`<th scope="col" class="number">${name}</th>`)}</tr>
      </thead>
      <tbody>
        ${rows.map(
          ({ key, name = key, cells }) => html`<tr key=${key}>
            <th scope="row">${name}</th>
            ${cells.map((cell) => html`<td class="number">${numberText(cell)}</td>`)}
          </tr>`,
        )}
      </tbody>
    </table>
  `;
}
