import { useRef, useState } from 'preact/hooks';
import { ROOT } from './api.js';
import { Badges, isLive, nameOf, OutcomeBar } from './import-state.js';
import { countText, Heading, html, Time, Trouble } from './parts.js';
import { usePolled } from './use-polled.js';

/** @typedef {import('../answers.ts').Import} Import */

const PAGE = 25;
const LIVE_PAUSE_MS = 2000;
const PAUSE_MS = 10_000;
/** Milliseconds without a key press before a search, which is expensive: it reads all imports. */
const TYPING_MS = 300;

const STATES = [
  ['', 'All states'],
  ['UNFINISHED', 'Not finished'],
  ['FINISHED', 'Finished'],
  ['ROLLBACK_UNFINISHED', 'Rollback unfinished'],
  ['ROLLED_BACK', 'Rolled back'],
];

/** @param {{api: import('./api.js').Api}} props */
export function ImportList({ api }) {
  const [filter, setFilter] = useState({ search: '', status: '' });
  // Tokens of the pages up to the current one. A token names the first import of its page, so new imports do not shift
  // the pages.
  const [starts, setStarts] = useState(['']);
  const typing = useRef(/** @type {ReturnType<typeof setTimeout> | undefined} */ (undefined));
  const place = useRef(/** @type {HTMLElement | null} */ (null));
  const given = Object.entries({ ...filter, paginationToken: starts.at(-1) ?? '' }).filter(
    ([, value]) => value,
  );
  const query = new URLSearchParams(given).toString();
  const { data, error } = usePolled(
    async (signal) => {
      /** @type {{imports: Import[], nextPaginationToken?: string}} */
      const page = await api.get(`bulk-import/imports?limit=${PAGE}&${query}`, signal);
      return { query, ...page };
    },
    ({ imports }) => (imports.some((one) => isLive(one, api.now())) ? LIVE_PAUSE_MS : PAUSE_MS),
    [query],
  );
  const isLoaded = data?.query === query;
  const next = isLoaded ? data.nextPaginationToken : undefined;
  const go = (/** @type {string[]} */ to) => {
    setStarts(to);
    place.current?.focus();
  };
  const onFilter = (/** @type {Event} */ event) => {
    const { name, value } = /** @type {HTMLInputElement | HTMLSelectElement} */ (event.target);
    clearTimeout(typing.current);
    typing.current = setTimeout(() => {
      setFilter((before) => ({ ...before, [name]: value.trim() }));
      setStarts(['']);
    }, TYPING_MS);
  };
  const isEmpty = isLoaded && given.length === 0 && data.imports.length === 0;

  return html`
    <${Heading} title="List">Imports<//>
    <${Trouble} error=${error} />
    ${
      isEmpty
        ? html`<${FirstSteps} />`
        : html`
          <form class="row" role="search" onInput=${onFilter} onSubmit=${(/** @type {Event} */ event) => event.preventDefault()}>
            <div class="field"><label for="search">Name</label><input id="search" name="search" type="search" maxlength="256" autocomplete="off" spellcheck=${false} placeholder="File, system or id" /></div>
            <div class="field">
              <label for="status">State</label>
              <select id="status" name="status">
                ${STATES.map(([value, text]) => html`<option key=${value} value=${value}>${text}</option>`)}
              </select>
            </div>
          </form>
          <p class="place" tabindex="-1" ref=${place} role="status">
            ${isLoaded ? placeText(starts.length, data.imports.length) : 'Loading…'}
          </p>
          <ul class="imports" aria-label="Imports, newest first" aria-busy=${!isLoaded}>
            ${data?.imports.map((one) => html`<${Item} key=${one.importId} one=${one} now=${api.now()} />`)}
          </ul>
          <nav class="pages" aria-label="Pages">
            <button type="button" disabled=${starts.length === 1} onClick=${() => go(starts.slice(0, -1))}>Newer</button>
            <button type="button" disabled=${next === undefined} onClick=${() => next && go([...starts, next])}>Older</button>
          </nav>`
    }
  `;
}

/** @param {number} page @param {number} count */
const placeText = (page, count) =>
  count === 0 ? 'No import is like this.' : `Page ${page}: ${countText(count, 'import')}, newest first`;

const FirstSteps = () => html`
  <p role="status">There are no imports yet. In a terminal, with an API key, these commands show what an export contains, and import it:</p>
  <pre tabindex="0" aria-label="Commands"><code>${`export USER_IMPORT_API_KEY=…
user-import inspect FILE
user-import import FILE --url ${ROOT.href.replace(/\/$/, '')}`}</code></pre>
`;

/** @param {{one: Import, now: number}} props */
const Item = ({ one, now }) => html`
  <li>
    <div class="line">
      <a href="#/import/${one.importId}">${nameOf(one)}</a>
      <${Badges} one=${one} now=${now} />
      <span class="muted"><${Time} ms=${one.startedAt} /> with ${one.apiKeyName}</span>
    </div>
    <${OutcomeBar} one=${one} isBrief />
  </li>
`;
