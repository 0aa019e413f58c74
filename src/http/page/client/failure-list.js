import { useState } from 'preact/hooks';
import { countText, html, numberText, Trouble } from './parts.js';

/**
 * @typedef {import('../answers.ts').Import} Import
 * @typedef {import('../answers.ts').Failure} Failure
 * @typedef {import('../answers.ts').FailurePage} FailurePage
 */

const EXAMPLES = 20;

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
    <p class="muted"><code>user-import rejects ${one.importId}</code> lists all of them.</p>
  `;
}

/** @param {{api: import('./api.js').Api, importId: string, code: string, count: number}} props */
function Code({ api, importId, code, count }) {
  const [examples, setExamples] = useState(/** @type {readonly Failure[] | undefined} */ (undefined));
  const [error, setError] = useState(/** @type {unknown} */ (undefined));

  const onToggle = async (/** @type {Event} */ event) => {
    const { open } = /** @type {HTMLDetailsElement} */ (event.currentTarget);
    if (!open || examples !== undefined) return;
    try {
      const query = new URLSearchParams({ code, limit: String(EXAMPLES) });
      /** @type {FailurePage} */
      const page = await api.get(`bulk-import/imports/${encodeURIComponent(importId)}/failures?${query}`);
      if (page.status !== 'OK') throw new Error('They are too old and were deleted.');
      setExamples(page.failures ?? []);
      setError(undefined);
    } catch (why) {
      setError(why);
    }
  };

  return html`
    <li>
      <details onToggle=${onToggle}>
        <summary><code>${code}</code> <span>${countText(count, 'line')}</span></summary>
        <ul class="examples" aria-label="Lines that failed with ${code}">
          ${examples?.map(
            ({ line, message }) =>
              html`<li key=${line}><b>Line ${numberText(line)}</b> <span class="message">${message}</span></li>`,
          )}
        </ul>
        ${examples && count > examples.length && html`<p class="muted">These are the first ${examples.length}. </p>`}
        <${Trouble} error=${error} advice="Close and open it to try again." />
      </details>
    </li>
  `;
}
