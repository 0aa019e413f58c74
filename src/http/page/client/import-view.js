import { useEffect, useRef, useState } from 'preact/hooks';
import { FailureList } from './failure-list.js';
import { Badges, isLive, nameOf, OutcomeBar, stateOf } from './import-state.js';
import { countText, durationText, Heading, html, numberText, percentText, Time, Trouble } from './parts.js';
import { Rollback } from './rollback.js';
import { usePolled } from './use-polled.js';

/** @typedef {import('../answers.ts').Import} Import */

const LIVE_PAUSE_MS = 1000;
/** Milliseconds between two requests for an import that is not running, which may be resumed. */
const PAUSE_MS = 10_000;

/** @param {{api: import('./api.js').Api, importId: string}} props */
export function ImportView({ api, importId }) {
  const { data, error, reload } = usePolled(
    async (signal) => {
      /** @type {{status: string, import?: Import}} */
      const answer = await api
        .get(`bulk-import/imports/${encodeURIComponent(importId)}`, signal)
        .catch(unknown);
      return answer;
    },
    ({ import: one }) => (one && isMoving(one, api.now()) ? LIVE_PAUSE_MS : PAUSE_MS),
    [importId],
  );
  const one = data?.import;
  const name = one ? nameOf(one) : importId;
  return html`
    <p><a href="#/">← All imports</a></p>
    <${Heading} title=${name}>Import ${name}<//>
    <${Trouble} error=${error} />
    ${
      one === undefined
        ? html`<p role="status">${data ? 'There is no import with this id.' : 'Loading…'}</p>`
        : html`<${Details} api=${api} one=${one} onChange=${reload} />`
    }
  `;
}

/**
 * @param {Import} one
 * @param {number} now time of the service's clock
 */
const isMoving = (one, now) => isLive(one, now) || one.status === 'ROLLBACK_UNFINISHED';

/**
 * Converts status 404 to the answer for an unknown import. The service answers 404 if the id in the path cannot be an
 * import id, because no route matches.
 * @param {any} error rethrown if it has another status
 */
function unknown(error) {
  if (error?.status === 404) return { status: 'UNKNOWN_IMPORT_ID_ERROR' };
  throw error;
}

/** @param {{api: import('./api.js').Api, one: Import, onChange(): void}} props */
function Details({ api, one, onChange }) {
  const now = api.now();
  const state = stateOf(one, now);
  return html`
    <p class="line"><${Badges} one=${one} now=${now} /> ${whyText(one, state, now)}</p>
    <section aria-labelledby="outcomes">
      <h2 id="outcomes">Lines</h2>
      <${Progress} one=${one} isLive=${isLive(one, now)} state=${state} />
    </section>
    <section aria-labelledby="failures">
      <h2 id="failures">Failures</h2>
      <${FailureList} api=${api} one=${one} />
    </section>
    <section aria-labelledby="record">
      <h2 id="record">Record</h2>
      <${Record} one=${one} />
    </section>
    ${
      !one.dryRun &&
      html`<section aria-labelledby="rollback">
        <h2 id="rollback">Rollback</h2>
        <${Rollback} api=${api} one=${one} onChange=${onChange} />
      </section>`
    }
  `;
}

/** @param {Import} one @param {string} state @param {number} now */
function whyText(one, state, now) {
  if (state === 'Broken off') return 'To continue, run the same command again.';
  if (state !== 'Silent') return '';
  return `Nothing was recorded for ${durationText(now - (one.updatedAt ?? one.startedAt))}: its sender waits, or its instance was killed.`;
}

/** @param {{found: number, removed: number, kept: number}} missing */
const missingText = ({ found, removed, kept }) =>
  `${numberText(found)} users of earlier imports: ${numberText(removed)} removed, ${numberText(kept)} kept, as they were active here`;

/** @param {{one: Import}} props */
function Record({ one }) {
  const { strong, legacy, broken } = one.classes;
  const logins = Object.entries(one.algorithms).map(([name, count]) => `${name} ${numberText(count)}`);
  /** @type {[string, unknown][]} */
  const rows = [
    ['Id', html`<code>${one.importId}</code>`],
    ['Begun', html`<${Time} ms=${one.startedAt} />`],
    ['Finished', one.finishedAt !== undefined && html`<${Time} ms=${one.finishedAt} />`],
    ['Rolled back', one.rolledBackAt !== undefined && html`<${Time} ms=${one.rolledBackAt} />`],
    ['Expired', one.expiredAt !== undefined && html`<${Time} ms=${one.expiredAt} />`],
    ['API key', one.apiKeyName],
    ['On conflict', one.onConflict],
    ['Matched by', one.matchBy === 'externalId' && `external id, among users of the source ${one.source}`],
    ['Missing in the export', one.missing && missingText(one.missing)],
    ['Took', `${durationText(one.durationMs)}, ${numberText(one.linesPerSecond)} lines a second`],
    ['Logins written', logins.join(', ') || 'none'],
    [
      'Their hashes',
      strong + legacy + broken > 0 &&
        `${numberText(strong)} strong, ${numberText(legacy)} legacy, ${numberText(broken)} broken`,
    ],
  ];
  return html`<dl>${rows.map(([name, value]) => value && html`<div key=${name}><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
}

/** Milliseconds between two announcements of progress to a screen reader. */
const ANNOUNCE_MS = 10_000;

/** @param {{one: Import, isLive: boolean, state: string}} props */
function Progress({ one, isLive, state }) {
  const text = linesText(one) + (isLive && one.linesPerSecond > 0 ? rateText(one) : '');
  return html`
    <p>${text}</p>
    <${OutcomeBar} one=${one} />
    <${ScreenReaderStatus} text=${`${state}: ${text}`} about=${state} />
  `;
}

/** @param {Import} one */
function linesText({ lines, total }) {
  if (total === undefined) return countText(lines, 'line');
  if (lines > total)
    return `${countText(lines, 'line')}, more than the ${numberText(total)} that were announced`;
  const part = total === 0 ? '' : ` (${percentText(lines / total)})`;
  return `${numberText(lines)} of ${countText(total, 'line')}${part}`;
}

/** Says the average rate, and the time left at this rate if the sender announced a total. @param {Import} one */
function rateText({ lines, total = 0, linesPerSecond }) {
  const left = durationText(((total - lines) * 1000) / linesPerSecond);
  return `, ${numberText(linesPerSecond)} lines a second${total > lines ? `, about ${left} left` : ''}`;
}

/**
 * Announces progress to a screen reader: at intervals, and at once if `about`, the state of the import,
 * changes.
 * @param {{text: string, about: string}} props
 */
function ScreenReaderStatus({ text, about }) {
  const [announced, setAnnounced] = useState('');
  const newest = useRef(text);
  newest.current = text;
  useEffect(() => {
    const announce = () => setAnnounced(newest.current);
    announce();
    const timer = setInterval(announce, ANNOUNCE_MS);
    return () => clearInterval(timer);
  }, [about]);
  return html`<p class="unseen" role="status">${announced}</p>`;
}
