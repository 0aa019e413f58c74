import { useRef, useState } from 'preact/hooks';
import { countText } from './format.js';
import { html } from './html.js';
import { isLive, stateOf } from './import-state.js';
import { OutcomeBar } from './outcome-bar.js';
import { Heading, Time, Trouble } from './parts.js';
import { usePolled } from './use-polled.js';

/** @typedef {import('../answers.ts').Import} Import */

const PAGE = 25;
const LIVE_PAUSE_MS = 2000;
const PAUSE_MS = 10_000;

/** @param {{api: import('./api.js').Api, onRefused(): void}} props */
export function ImportList({ api, onRefused }) {
  // Id of the first import of each page up to the current one, so that new imports do not shift the pages.
  const [starts, setStarts] = useState(['']);
  const place = useRef(/** @type {HTMLElement | null} */ (null));
  const start = starts.at(-1) ?? '';
  const { data, error } = usePolled(
    async (signal) => {
      const from = start && `&paginationToken=${encodeURIComponent(start)}`;
      /** @type {{imports: Import[], nextPaginationToken?: string}} */
      const page = await api.get(`bulk-import/imports?limit=${PAGE}${from}`, signal);
      return { start, ...page };
    },
    ({ imports }) => (imports.some((one) => isLive(one, api.now())) ? LIVE_PAUSE_MS : PAUSE_MS),
    [start],
  );
  const next = data?.start === start ? data.nextPaginationToken : undefined;
  const go = (/** @type {string[]} */ to) => {
    setStarts(to);
    place.current?.focus();
  };

  return html`
    <${Heading} title="List">Imports<//>
    <${OpenById} />
    <${Trouble} error=${error} onRefused=${onRefused} />
    <p class="place" tabindex="-1" ref=${place} role="status">
      ${data?.start === start ? placeText(starts.length, data.imports.length) : 'Loading…'}
    </p>
    <ul class="imports" aria-label="Imports, newest first" aria-busy=${data?.start !== start}>
      ${data?.imports.map((one) => html`<${Item} key=${one.importId} one=${one} now=${api.now()} />`)}
    </ul>
    <nav class="pages" aria-label="Pages">
      <button type="button" disabled=${starts.length === 1} onClick=${() => go(starts.slice(0, -1))}>Newer</button>
      <button type="button" disabled=${next === undefined} onClick=${() => next && go([...starts, next])}>Older</button>
    </nav>
  `;
}

/** @param {number} page @param {number} count */
const placeText = (page, count) =>
  count === 0 ? 'There are no imports yet.' : `Page ${page}: ${countText(count, 'import')}, newest first`;

/** @param {{one: Import, now: number}} props */
function Item({ one, now }) {
  const { text, tone } = stateOf(one, now);
  return html`
    <li>
      <div class="line">
        <a class="id" href="#/import/${one.importId}">${one.importId}</a>
        ${one.dryRun && html`<span class="badge">Dry run</span>`}
        <span class="badge ${tone}">${text}</span>
        <span class="muted"><${Time} ms=${one.startedAt} /> with ${one.apiKeyName}</span>
      </div>
      <${OutcomeBar} one=${one} isBrief />
    </li>
  `;
}

function OpenById() {
  const input = useRef(/** @type {HTMLInputElement | null} */ (null));
  const [problem, setProblem] = useState('');
  const open = (/** @type {Event} */ event) => {
    event.preventDefault();
    const importId = input.current?.value.trim() ?? '';
    if (/^[A-Za-z0-9._-]{1,64}$/.test(importId)) location.hash = `#/import/${importId}`;
    else setProblem('An import id has 1 to 64 of A-Z a-z 0-9 . _ -');
  };
  return html`
    <form class="row" role="search" onSubmit=${open}>
      <label for="open-id">Import id</label>
      <input id="open-id" ref=${input} autocomplete="off" spellcheck=${false} autocapitalize="off" aria-describedby="open-problem" />
      <button type="submit">Open</button>
      <p id="open-problem" class="problem" role="alert">${problem}</p>
    </form>
  `;
}
