import { numberText } from './format.js';
import { html } from './html.js';
import { Heading, Time, Trouble } from './parts.js';
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
      <table>
        <caption>Logins</caption>
        <thead>
          <tr><th scope="col">State</th><th scope="col" class="number">Logins</th></tr>
        </thead>
        <tbody>
          ${STATES.map(
            ([state, name]) => html`<tr key=${state}>
              <th scope="row">${name}</th>
              <td class="number">${numberText(one.logins[state])}</td>
            </tr>`,
          )}
        </tbody>
      </table>
      ${
        families.length > 0 &&
        html`<table>
          <caption>Not moved yet, by algorithm</caption>
          <thead>
            <tr><th scope="col">Algorithm</th><th scope="col" class="number">Waiting</th><th scope="col" class="number">Refused</th></tr>
          </thead>
          <tbody>
            ${families.map(
              ({ algorithm, waiting, refused }) => html`<tr key=${algorithm}>
                <th scope="row">${algorithm}</th>
                <td class="number">${numberText(waiting)}</td>
                <td class="number">${numberText(refused)}</td>
              </tr>`,
            )}
          </tbody>
        </table>`
      }
      ${
        one.movedByDay.length > 0 &&
        html`<table>
          <caption>Moved, by day (UTC)</caption>
          <thead>
            <tr><th scope="col">Day</th><th scope="col" class="number">Logins</th></tr>
          </thead>
          <tbody>
            ${one.movedByDay.map(
              ({ day, logins }) => html`<tr key=${day}>
                <th scope="row">${day}</th>
                <td class="number">${numberText(logins)}</td>
              </tr>`,
            )}
          </tbody>
        </table>`
      }
    </section>
  `;
}
