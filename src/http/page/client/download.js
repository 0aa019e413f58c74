import { useEffect, useRef, useState } from 'preact/hooks';
import { numberText } from './format.js';
import { html } from './html.js';
import { textOf } from './parts.js';

/** @typedef {import('../answers.ts').Failure} Failure */

const PAGE = 500;

/** A text that a spreadsheet would take for a formula gets a leading apostrophe. */
function cell(/** @type {string} */ text) {
  const isPlain = /^[\w.-]+$/.test(text) && !text.startsWith('-');
  return isPlain ? text : `"${text.replace(/^[=+\-@\t\r]/, "'$&").replaceAll('"', '""')}"`;
}

/** @param {Failure} failure */
const rowOf = ({ line, code, message }) => `${line},${cell(code)},${cell(message)}\r\n`;

/**
 * The page builds the file itself, because a link could not send the API key.
 * @param {{api: import('./api.js').Api, one: import('../answers.ts').Import, codes: string[]}} props
 */
export function Download({ api, one, codes }) {
  const select = useRef(/** @type {HTMLSelectElement | null} */ (null));
  const [running, setRunning] = useState(/** @type {AbortController | undefined} */ (undefined));
  const [said, setSaid] = useState('');
  useEffect(() => () => running?.abort(), [running]);

  const download = async () => {
    const stop = new AbortController();
    setRunning(stop);
    const code = select.current?.value ?? '';
    const all = code === '' ? one.failed : (one.failuresByCode[code] ?? 0);
    try {
      const blob = await readAll({
        ...{ api, one, code, signal: stop.signal },
        onCount: (count) => setSaid(`${numberText(count)} of ${numberText(all)} lines are in the file.`),
      });
      save(blob, `failures-${one.importId}${code && `-${code}`}.csv`);
    } catch (error) {
      setSaid(stop.signal.aborted ? 'Stopped.' : textOf(error));
    }
    setRunning(undefined);
  };

  return html`
    <div class="row" role="group" aria-label="Download failures">
      <label for="download-code">Download</label>
      <select id="download-code" ref=${select}>
        <option value="">all codes</option>
        ${codes.map((name) => html`<option key=${name} value=${name}>${name}</option>`)}
      </select>
      ${
        running
          ? html`<button type="button" onClick=${() => running.abort()}>Stop</button>`
          : html`<button type="button" onClick=${download}>As CSV</button>`
      }
      <p role="status" class="muted">${said}</p>
    </div>
  `;
}

/**
 * @param {{api: import('./api.js').Api, one: import('../answers.ts').Import, code: string, onCount(count: number): void, signal: AbortSignal}} options
 */
async function readAll({ api, one, code, onCount, signal }) {
  const parts = ['line,code,message\r\n'];
  let count = 0;
  /** @type {string | undefined} */
  let cursor = '1';
  while (cursor !== undefined) {
    const query = new URLSearchParams({ limit: String(PAGE), cursor, ...(code && { code }) });
    /** @type {import('../answers.ts').FailurePage} */
    const page = await api.get(
      `bulk-import/imports/${encodeURIComponent(one.importId)}/failures?${query}`,
      signal,
    );
    if (page.status !== 'OK') throw new Error('Some of them are too old and were deleted.');
    const { failures = [], nextCursor } = page;
    parts.push(...failures.map(rowOf));
    count += failures.length;
    onCount(count);
    cursor = nextCursor;
  }
  return new Blob(parts);
}

/** @param {Blob} blob @param {string} name */
function save(blob, name) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  // The browser starts to read the URL after this function, so the URL is revoked later.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
