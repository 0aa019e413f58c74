import { useEffect, useRef, useState } from 'preact/hooks';
import { numberText } from './format.js';
import { html } from './html.js';
import { textOf } from './parts.js';

/**
 * @typedef {import('../answers.ts').Failure} Failure
 * @typedef {import('../answers.ts').FailurePage} FailurePage
 */

const PAGE = 500;

const FORMATS = {
  ndjson: {
    type: 'application/x-ndjson',
    head: '',
    line: (/** @type {Failure} */ one) => `${JSON.stringify(one)}\n`,
  },
  csv: {
    type: 'text/csv',
    head: 'line,code,message\r\n',
    line: (/** @type {Failure} */ { line, code, message }) => `${line},${cell(code)},${cell(message)}\r\n`,
  },
};

/** A text that a spreadsheet would take for a formula gets a leading apostrophe. */
function cell(/** @type {string} */ text) {
  const isPlain = /^[\w.-]+$/.test(text) && !text.startsWith('-');
  return isPlain ? text : `"${text.replace(/^[=+\-@\t\r]/, "'$&").replaceAll('"', '""')}"`;
}

/**
 * The page builds the file itself, because a link could not send the API key.
 * @param {{api: import('./api.js').Api, one: import('../answers.ts').Import, codes: string[]}} props
 */
export function Download({ api, one, codes }) {
  const code = useRef(/** @type {HTMLSelectElement | null} */ (null));
  const running = useRef(/** @type {AbortController | undefined} */ (undefined));
  const [isRunning, setRunning] = useState(false);
  const [said, setSaid] = useState('');
  useEffect(() => () => running.current?.abort(), []);

  const download = async (/** @type {keyof typeof FORMATS} */ format) => {
    const stop = new AbortController();
    running.current = stop;
    setRunning(true);
    const wanted = code.current?.value ?? '';
    const all = wanted === '' ? one.failed : (one.failuresByCode[wanted] ?? 0);
    const told = (/** @type {number} */ count) =>
      setSaid(`${numberText(count)} of ${numberText(all)} lines read`);
    try {
      const { count, blob } = await readAll({
        api,
        importId: one.importId,
        code: wanted,
        format,
        told,
        signal: stop.signal,
      });
      save(blob, `failures-${one.importId}${wanted && `-${wanted}`}.${format}`);
      setSaid(`${numberText(count)} lines are in the file.`);
    } catch (error) {
      setSaid(stop.signal.aborted ? 'Stopped.' : textOf(error));
    }
    setRunning(false);
  };

  return html`
    <div class="row" role="group" aria-label="Download failures">
      <label for="download-code">Download</label>
      <select id="download-code" ref=${code}>
        <option value="">all codes</option>
        ${codes.map((name) => html`<option key=${name} value=${name}>${name}</option>`)}
      </select>
      ${
        isRunning
          ? html`<button type="button" onClick=${() => running.current?.abort()}>Stop</button>`
          : html`
            <button type="button" onClick=${() => download('ndjson')}>As NDJSON</button>
            <button type="button" onClick=${() => download('csv')}>As CSV</button>`
      }
      <p role="status" class="muted">${said}</p>
    </div>
  `;
}

/** @param {{api: import('./api.js').Api, importId: string, code: string, format: keyof typeof FORMATS, told(count: number): void, signal: AbortSignal}} options */
async function readAll({ api, importId, code, format, told, signal }) {
  const { type, head, line } = FORMATS[format];
  const parts = [head];
  let count = 0;
  /** @type {string | undefined} */
  let cursor = '1';
  while (cursor !== undefined) {
    const ofCode = code && `&code=${encodeURIComponent(code)}`;
    /** @type {FailurePage} */
    const page = await api.get(
      `bulk-import/imports/${encodeURIComponent(importId)}/failures?limit=${PAGE}&cursor=${cursor}${ofCode}`,
      signal,
    );
    if (page.status !== 'OK') throw new Error('Some of them are too old and were deleted.');
    const failures = page.failures ?? [];
    parts.push(failures.map(line).join(''));
    count += failures.length;
    told(count);
    cursor = page.nextCursor;
  }
  return { count, blob: new Blob(parts, { type }) };
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
