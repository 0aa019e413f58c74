import { countText, numberText, percentText } from './format.js';
import { html } from './html.js';
import { CountTable, Heading, Time, Trouble } from './parts.js';
import { usePolled } from './use-polled.js';

/**
 * @typedef {import('../answers.ts').Census} Census
 * @typedef {import('../answers.ts').HashGroup} HashGroup
 */

const COUNTING_PAUSE_MS = 1000;
const PAUSE_MS = 60_000;

const CLASSES = ['broken', 'legacy', 'strong', 'unknown', 'none'];

/** @param {{api: import('./api.js').Api, onRefused(): void}} props */
export function CensusView({ api, onRefused }) {
  const { data, error } = usePolled(
    async (signal) => {
      /** @type {Census} */
      const census = await api.get('recipe/user/passwordhash/census', signal);
      return census;
    },
    ({ counting }) => (counting ? COUNTING_PAUSE_MS : PAUSE_MS),
    [],
  );
  return html`
    <${Heading} title="Password hashes">Password hashes<//>
    <${Trouble} error=${error} onRefused=${onRefused} />
    ${
      data?.hashes === undefined
        ? html`<p role="status">${data ? 'They are being counted…' : 'Loading…'}</p>`
        : html`<${Chart} groups=${data.hashes} countedAt=${data.countedAt} />`
    }
  `;
}

/** @param {{groups: HashGroup[], countedAt?: number}} props */
function Chart({ groups, countedAt }) {
  const all = sum(groups);
  if (all === 0) return html`<p role="status">There are no password hashes yet.</p>`;
  const most = Math.max(...groups.map(({ users }) => users));
  const classes = CLASSES.map((name) => ({ name, users: sum(groups.filter((one) => one.class === name)) }));
  const sorted = groups.toSorted((a, b) => b.users - a.users);
  let start = 0;
  return html`
    <p>${countText(all, 'password login')}${countedAt !== undefined && html`, counted <${Time} ms=${countedAt} />`}</p>
    <${WithoutHash} groups=${groups} />
    <svg class="bar" aria-hidden="true" focusable="false">
      ${classes.map(({ name, users }) => {
        const x = start;
        start += (100 * users) / all;
        return html`<rect class=${name} x="${x}%" y="0" width="${start - x}%" height="100%" />`;
      })}
    </svg>
    <ul class="legend">
      ${classes
        .filter(({ users }) => users > 0)
        .map(
          ({ name, users }) => html`<li key=${name}>
            <span class="swatch ${name}" aria-hidden="true" />${numberText(users)} ${name} (${percentText(users / all)})
          </li>`,
        )}
    </ul>
    <${CountTable}
      caption="By algorithm, and who set them"
      head=${['Algorithm', 'Logins', 'Signed in']}
      rows=${sorted.map((one) => ({
        key: `${one.hashingAlgorithm} ${one.setBy}`,
        name: html`
          ${one.hashingAlgorithm} <span class="muted">${one.class}, set by ${one.setBy}</span>
          <svg class="bar thin" aria-hidden="true" focusable="false">
            <rect class=${one.class} x="0" y="0" width="${(100 * one.users) / most}%" height="100%" />
          </svg>
        `,
        numbers: [one.users, one.signedIn],
      }))}
    />
  `;
}

/** @param {{groups: HashGroup[]}} props */
function WithoutHash({ groups }) {
  const usersOf = (/** @type {string} */ name) =>
    sum(groups.filter(({ hashingAlgorithm }) => hashingAlgorithm === name));
  const [waiting, unset] = [usersOf('waiting'), usersOf('unset')];
  return html`
    ${waiting > 0 && html`<p>Waiting for the first sign-in, at the legacy system: ${numberText(waiting)}</p>`}
    ${unset > 0 && html`<p>Without a password until a reset: ${numberText(unset)}</p>`}
  `;
}

/** @param {HashGroup[]} groups */
const sum = (groups) => groups.reduce((total, { users }) => total + users, 0);
