import { nameOf } from './import-state.js';
import { Bar, CountTable, countText, Heading, html, numberText, percentText, Time } from './parts.js';
import { Polled } from './use-polled.js';

/**
 * @typedef {import('./api.js').Api} Api
 * @typedef {import('../answers.ts').HandOver} HandOver
 * @typedef {import('../answers.ts').Progress} Progress
 * @typedef {import('../answers.ts').RehearsalReport} RehearsalReport
 * @typedef {import('./parts.js').Part} Part
 */

const RUNNING_PAUSE_MS = 2000;
const PAUSE_MS = 10_000;
/** Milliseconds between two requests for the progress of hooks. The service counts all who wait at each request. */
const COUNT_PAUSE_MS = 60_000;

const MOST_DAYS = 30;

/** @param {{api: Api, moves: readonly string[]}} props `moves`: those of `hooks`, `rehearsal` and `core` that are on */
export const MovingView = ({ api, moves }) => html`
  <${Heading} title="First sign-ins">First sign-ins<//>
  ${
    moves.includes('hooks') &&
    html`<${Polled}
      load=${(/** @type {AbortSignal} */ signal) => api.get('hooks/progress', signal)}
      pauseOf=${() => COUNT_PAUSE_MS}
      show=${(/** @type {Progress} */ progress) => html`<${HookProgress} progress=${progress} />`}
    />`
  }
  ${
    moves.includes('rehearsal') &&
    html`<${Polled}
      load=${(/** @type {AbortSignal} */ signal) => loadRehearsal(api, signal)}
      pauseOf=${() => PAUSE_MS}
      show=${(/** @type {Rehearsed} */ rehearsed) => html`<${Rehearsal} ...${rehearsed} />`}
    />`
  }
  ${
    moves.includes('core') &&
    html`<${Polled}
      load=${async (/** @type {AbortSignal} */ signal) => (await api.get('hand-over', signal)).handOvers}
      pauseOf=${(/** @type {HandOver[]} */ all) => (all.some(isRunning) ? RUNNING_PAUSE_MS : PAUSE_MS)}
      show=${(/** @type {HandOver[]} */ all) =>
        all.length === 0
          ? html`<p role="status">There is no hand-over. <code>user-import hand-over</code> starts one.</p>`
          : all.map((one) => html`<${HandOverSection} key=${one.handOverId} one=${one} />`)}
    />`
  }
`;

/** @param {HandOver} one */
const isRunning = ({ status }) => status === 'RUNNING' || status === 'UNDOING';

/** @param {readonly number[]} numbers */
const sum = (numbers) => numbers.reduce((total, one) => total + one, 0);

/** @param {{progress: Progress}} props */
function HookProgress({ progress: { waiting, askedAgain, moved } }) {
  /** @param {string} state @param {(row: Progress['moved'][number]) => boolean} [wanted] */
  const count = (state, wanted = () => true) =>
    sum(moved.filter((row) => row.state === state && wanted(row)).map(({ logins }) => logins));
  const all = waiting + sum(moved.map(({ logins }) => logins));
  /** @type {Part[]} */
  const parts = [
    { tone: 'good', count: count('moved'), text: 'moved' },
    { tone: 'new', count: count('changed'), text: 'changed at the provider' },
    { tone: 'warn', count: count('gone'), text: 'gone: moved, and the hash is deleted' },
    { tone: 'muted', count: waiting, text: 'waiting for the first sign-in' },
  ];
  /** @param {'day' | 'keyName' | 'algorithm'} name */
  const rowsBy = (name) =>
    [...new Set(moved.map((row) => row[name]))].map((key) => ({
      key,
      cells: ['moved', 'changed', 'gone'].map((state) => count(state, (row) => row[name] === key)),
    }));
  const head = ['Moved', 'Changed', 'Gone'];
  return html`
    <section aria-labelledby="hooks">
      <h2 id="hooks">At the identity provider</h2>
      <p>${numberText(all - waiting)} of ${countText(all, 'login')} (${percentText(all === 0 ? 0 : 1 - waiting / all)}) need this service no more.</p>
      <${Bar} parts=${parts} whole=${all} />
      ${askedAgain > 0 && html`<p>The provider asked again ${countText(askedAgain, 'time')} about users who had moved: it had not stored the password.</p>`}
      ${waiting > 0 && html`<p class="muted"><code>user-import status --waiting FILE</code> lists who waits.</p>`}
      <${CountTable} caption="By day (UTC)" head=${['Day', ...head]} rows=${rowsBy('day').toReversed().slice(0, MOST_DAYS)} />
      <${CountTable} caption="By API key" head=${['API key', ...head]} rows=${rowsBy('keyName')} />
      <${CountTable} caption="By algorithm" head=${['Algorithm', ...head]} rows=${rowsBy('algorithm')} />
    </section>
  `;
}

/** @typedef {{report: RehearsalReport, names: ReadonlyMap<string, string>}} Rehearsed `names`: of imports, by id */

/** @type {Map<string, string>} Names of imports do not change. */
const names = new Map();

/** @param {Api} api @param {AbortSignal} signal @returns {Promise<Rehearsed>} */
async function loadRehearsal(api, signal) {
  /** @type {RehearsalReport} */
  const report = await api.get('hooks/rehearsal', signal);
  for (const { importId } of report.groups) {
    if (importId === undefined || names.has(importId)) continue;
    const answer = await api.get(`bulk-import/imports/${encodeURIComponent(importId)}`, signal);
    names.set(importId, answer.import ? nameOf(answer.import) : importId);
  }
  return { report, names };
}

/** @param {Rehearsed} props */
function Rehearsal({ report: { groups, alarms, unknown, wrongInBoth, dropped } }) {
  const matches = sum(groups.map((group) => group.matches));
  const others = groups.flatMap(({ algorithm, importId, causes }) =>
    Object.entries(causes).map(([cause, count]) => ({ algorithm, importId, cause, count })),
  );
  const all = matches + sum(others.map(({ count }) => count));
  return html`
    <section aria-labelledby="rehearsal">
      <h2 id="rehearsal">Rehearsal</h2>
      ${alarms > 0 && html`<p class="problem" role="alert">Alarm: ${countText(alarms, 'password')} that the old system refused would sign in here.</p>`}
      <p>Of ${countText(all, 'sign-in')} that were right in the old system, ${numberText(matches)} match here.</p>
      <${CountTable}
        caption="The others, by algorithm, import and cause"
        head=${['Algorithm, import and cause', 'Sign-ins']}
        rows=${others
          .toSorted((a, b) => b.count - a.count)
          .map(({ algorithm, importId, cause, count }) => ({
            key: `${algorithm} ${importId} ${cause}`,
            name: html`${algorithm}${importId && html` <a href="#/import/${importId}">${names.get(importId)}</a>`} <span class="muted">${cause === 'unknown' ? 'no cause found' : cause}</span>`,
            cells: [count],
          }))}
      />
      <p class="muted">${[
        `Not among them: ${numberText(unknown)} of users who are not here or have no hash, ${numberText(wrongInBoth)} wrong in both systems`,
        `and ${numberText(dropped)} not rehearsed. Counted by one instance of the service since its start.`,
      ].join(' ')}</p>
    </section>
  `;
}

/** @type {readonly [state: keyof HandOver['logins'], text: string, tone: Part['tone']][]} */
const HAND_OVER_STATES = [
  ['moved', 'moved', 'good'],
  ['changed', 'changed in the core', 'new'],
  ['refused', 'refused by the core', 'bad'],
  ['sending', 'on the way', 'warn'],
  ['waiting', 'waiting for the first sign-in', 'muted'],
];

/** @param {{one: HandOver}} props */
function HandOverSection({ one }) {
  const families = one.byAlgorithm.filter(({ waiting, refused }) => waiting + refused > 0);
  const parts = HAND_OVER_STATES.map(([state, text, tone]) => ({ text, tone, count: one.logins[state] }));
  return html`
    <section aria-labelledby="hand-over-${one.handOverId}">
      <h2 id="hand-over-${one.handOverId}">Hand-over to the core</h2>
      <p>
        <span class="badge">${one.status.charAt(0) + one.status.slice(1).toLowerCase()}</span>
        <span class="muted"> <${Time} ms=${one.startedAt} />, <code>${one.handOverId}</code></span>
      </p>
      ${one.problem !== undefined && html`<p class="problem" role="alert">It stands still: ${one.problem}</p>`}
      <p>${one.advice}</p>
      <${Bar} parts=${parts} whole=${sum(parts.map(({ count }) => count))} />
      <${CountTable}
        caption="Not moved yet, by algorithm"
        head=${['Algorithm', 'Waiting', 'Refused']}
        rows=${families.map(({ algorithm, waiting, refused }) => ({ key: algorithm, cells: [waiting, refused] }))}
      />
      <${CountTable}
        caption="Moved, by day (UTC)"
        head=${['Day', 'Logins']}
        rows=${one.movedByDay.map(({ day, logins }) => ({ key: day, cells: [logins] }))}
      />
    </section>
  `;
}
