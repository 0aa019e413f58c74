import { useRef, useState } from 'preact/hooks';
import { Download } from './download.js';
import { countText, numberText } from './format.js';
import { html } from './html.js';
import { Trouble } from './parts.js';

/**
 * @typedef {import('../answers.ts').Import} Import
 * @typedef {import('../answers.ts').Failure} Failure
 * @typedef {import('../answers.ts').FailurePage} FailurePage
 */

const FIRST = 5;
const MORE = 50;

/** @param {{api: import('./api.js').Api, one: Import}} props */
export function FailureList({ api, one }) {
  const codes = Object.entries(one.failuresByCode).sort(([, a], [, b]) => b - a);
  if (one.failed === 0) return html`<p>No line failed.</p>`;
  if (codes.length === 0)
    return html`<p>${countText(one.failed, 'line')} failed, in a version that did not count them by code.</p>`;
  return html`
    <ul class="codes">
      ${codes.map(
        ([code, count]) =>
          html`<${Code} key=${code} api=${api} importId=${one.importId} code=${code} count=${count} />`,
      )}
    </ul>
    <${Download} api=${api} one=${one} codes=${codes.map(([code]) => code)} />
  `;
}

/** @param {{api: import('./api.js').Api, importId: string, code: string, count: number}} props */
function Code({ api, importId, code, count }) {
  const list = useRef(/** @type {HTMLElement | null} */ (null));
  const [examples, setExamples] = useState(/** @type {Failure[]} */ ([]));
  const [next, setNext] = useState(/** @type {string | undefined} */ ('1'));
  const [error, setError] = useState(/** @type {unknown} */ (undefined));
  const [isBusy, setBusy] = useState(false);
  const isBegun = examples.length > 0;

  const load = async () => {
    if (next === undefined || isBusy) return;
    setBusy(true);
    try {
      const limit = isBegun ? MORE : FIRST;
      /** @type {FailurePage} */
      const page = await api.get(
        `bulk-import/imports/${encodeURIComponent(importId)}/failures?code=${encodeURIComponent(code)}&limit=${limit}&cursor=${next}`,
      );
      const { failures = [], nextCursor } = page;
      setExamples((before) => [...before, ...failures]);
      setNext(nextCursor);
      setError(page.status === 'OK' ? undefined : new Error('They are too old and were deleted.'));
      // After the last page of failures, the button for more disappears, so the focus moves to the list.
      if (isBegun && nextCursor === undefined) list.current?.focus();
    } catch (why) {
      setError(why);
    }
    setBusy(false);
  };
  const onToggle = (/** @type {Event} */ event) => {
    const { open } = /** @type {HTMLDetailsElement} */ (event.currentTarget);
    if (open && !isBegun) void load();
  };

  return html`
    <li>
      <details onToggle=${onToggle}>
        <summary><code>${code}</code> <span>${countText(count, 'line')}</span></summary>
        <ul class="examples" ref=${list} tabindex="-1" aria-label="Lines that failed with ${code}" aria-busy=${isBusy}>
          ${examples.map(
            ({ line, message }) =>
              html`<li key=${line}><b>Line ${numberText(line)}</b> <span class="message">${message}</span></li>`,
          )}
        </ul>
        <${Trouble} error=${error} advice="" />
        ${
          next !== undefined &&
          (isBegun || error !== undefined) &&
          html`<button type="button" onClick=${load}>${isBegun ? `Show ${MORE} more` : 'Try again'}</button>`
        }
      </details>
    </li>
  `;
}
