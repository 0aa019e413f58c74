import { useEffect, useRef } from 'preact/hooks';
import { isRefused } from './api.js';
import { numberText, timeText } from './format.js';
import { html } from './html.js';

/**
 * Gets the focus when the view appears, so that a screen reader announces the view.
 * @param {{children: unknown, title: string}} props
 */
export function Heading({ children, title }) {
  const heading = useRef(/** @type {HTMLElement | null} */ (null));
  useEffect(() => {
    document.title = `${title} – Imports`;
    heading.current?.focus();
  }, [title]);
  return html`<h1 tabindex="-1" ref=${heading}>${children}</h1>`;
}

/** @param {unknown} error */
export const textOf = (error) => (error instanceof Error ? error.message : String(error));

/** @param {{ms: number}} props */
export const Time = ({ ms }) => html`<time datetime=${new Date(ms).toISOString()}>${timeText(ms)}</time>`;

/**
 * If the service refused the API key, calls `onRefused` instead of showing the error.
 * @param {{error: unknown, onRefused(): void, advice?: string}} props
 */
export function Trouble({ error, onRefused, advice = 'It is tried again.' }) {
  useEffect(() => {
    if (isRefused(error)) onRefused();
  }, [error]);
  if (error === undefined || isRefused(error)) return null;
  return html`<p class="problem" role="alert">${textOf(error)} ${advice}</p>`;
}

/**
 * @typedef {{key: string, name?: unknown, numbers: number[]}} CountRow `name` is the key unless given
 * @param {{caption: string, head: readonly string[], rows: readonly CountRow[]}} props
 */
export function CountTable({ caption, head: [first, ...others], rows }) {
  return html`
    <table>
      <caption>${caption}</caption>
      <thead>
        <tr><th scope="col">${first}</th>${others.map((name) => html`<th scope="col" class="number">${name}</th>`)}</tr>
      </thead>
      <tbody>
        ${rows.map(
          ({ key, name = key, numbers }) => html`<tr key=${key}>
            <th scope="row">${name}</th>
            ${numbers.map((number) => html`<td class="number">${numberText(number)}</td>`)}
          </tr>`,
        )}
      </tbody>
    </table>
  `;
}
