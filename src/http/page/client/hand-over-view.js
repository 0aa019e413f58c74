import { html } from './html.js';
import { CountTable, Heading, Time, Trouble } from './parts.js';
import { usePolled } from './use-polled.js';

/**
 * @typedef {import('../answers.ts').HandOver} HandOver
 * @typedef {import('../answers.ts').LoginState} LoginState
 */

const RUNNING_PAUSE_MS = 2000;
const PAUSE_MS = 30_000;

/** @type {readonly [state: LoginState, name: string][]} */
const STATES = [
  ['waiting', 'Waiting for the first sign-in'],
  ['moved', 'Moved'],
  ['changed', 'Password changed in the core'],
  ['refused', 'Refused by the core'],
  ['sending', 'On the way'],
];

/** @param {{api: import('./api.js').Api, onRefused(): void}} props */
export function HandOverView({ api, onRefused }) {
  const { data, error } = usePolled(
    async (signal) => {
      /** @type {{handOvers: HandOver[]}} */
      const answer = await api.get('hand-over', signal);
      return answer.handOvers;
    },
    (handOvers) =>
      handOvers.some(({ status }) => status === 'RUNNING' || status === 'UNDOING')
        ? RUNNING_PAUSE_MS
        : PAUSE_MS,
    [],
  );
  return html`
    <${Heading} title="Hand-over">Hand-over to the core<//>
    <${Trouble} error=${error} onRefused=${onRefused} />
    ${
      data === undefined
        ? html`<p role="status">Loading…</p>`
        : data.length === 0
          ? html`<p role="status">There is no hand-over. <code>user-import hand-over</code> starts one.</p>`
          : data.map((one) => html`<${One} key=${one.handOverId} one=${one} />`)
    }
  `;
}

/** @param {{one: HandOver}} props */
function One({ one }) {
  const families = one.byAlgorithm.filter(({ waiting, refused }) => waiting + refused > 0);
  return html`
    <section aria-labelledby="hand-over-${one.handOverId}">
      <h2 id="hand-over-${one.handOverId}">${one.handOverId}</h2>
      <p>
        <span class="badge">${one.status.charAt(0) + one.status.slice(1).toLowerCase()}</span>
        <span class="muted"> <${Time} ms=${one.startedAt} /></span>
      </p>
      ${one.problem !== undefined && html`<p class="problem" role="alert">It stands still: ${one.problem}</p>`}
      <p>${one.advice}</p>
      <${CountTable}
        caption="Logins"
        head=${['State', 'Logins']}
        rows=${STATES.map(([state, name]) => ({ key: state, name, numbers: [one.logins[state]] }))}
      />
      ${
        families.length > 0 &&
        html`<${CountTable}
          caption="Not moved yet, by algorithm"
          head=${['Algorithm', 'Waiting', 'Refused']}
          rows=${families.map(({ algorithm, waiting, refused }) => ({ key: algorithm, numbers: [waiting, refused] }))}
        />`
      }
      ${
        one.movedByDay.length > 0 &&
        html`<${CountTable}
          caption="Moved, by day (UTC)"
          head=${['Day', 'Logins']}
          rows=${one.movedByDay.map(({ day, logins }) => ({ key: day, numbers: [logins] }))}
        />`
      }
    </section>
  `;
}
