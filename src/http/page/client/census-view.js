import { Bar, CountTable, countText, Heading, html, numberText, percentText, Time } from './parts.js';
import { Polled } from './use-polled.js';

/**
 * @typedef {import('../answers.ts').Census} Census
 * @typedef {import('../answers.ts').HashGroup} HashGroup
 */

const COUNTING_PAUSE_MS = 1000;
const PAUSE_MS = 60_000;

/** @type {readonly [string, import('./parts.js').Part['tone']][]} */
const CLASSES = [
  ['broken', 'bad'],
  ['legacy', 'warn'],
  ['strong', 'good'],
  ['unknown', 'new'],
  ['none', 'muted'],
];

/** @param {{api: import('./api.js').Api}} props */
export const CensusView = ({ api }) => html`
  <${Heading} title="Password hashes">Password hashes<//>
  <${Polled}
    load=${(/** @type {AbortSignal} */ signal) => api.get('recipe/user/passwordhash/census', signal)}
    pauseOf=${(/** @type {Census} */ { counting }) => (counting ? COUNTING_PAUSE_MS : PAUSE_MS)}
    show=${(/** @type {Census} */ { hashes, countedAt }) =>
      hashes
        ? html`<${Chart} groups=${hashes} countedAt=${countedAt} />`
        : html`<p role="status">They are being counted…</p>`}
  />
`;

/** @param {{groups: readonly HashGroup[], countedAt?: number}} props */
function Chart({ groups, countedAt }) {
  const sum = (/** @type {(group: HashGroup) => boolean} */ wanted) =>
    groups.filter(wanted).reduce((total, { users }) => total + users, 0);
  const all = sum(() => true);
  if (all === 0) return html`<p role="status">There are no password hashes yet.</p>`;
  const parts = CLASSES.map(([name, tone]) => {
    const count = sum((group) => group.class === name);
    return { tone, count, text: `${name} (${percentText(count / all)})` };
  });
  const waiting = sum(({ hashingAlgorithm }) => hashingAlgorithm === 'waiting');
  const unset = sum(({ hashingAlgorithm }) => hashingAlgorithm === 'unset');
  return html`
    <p>${countText(all, 'password login')}${countedAt !== undefined && html`, counted <${Time} ms=${countedAt} />`}</p>
    ${waiting > 0 && html`<p>Waiting for the first sign-in, at the legacy system: ${numberText(waiting)}</p>`}
    ${unset > 0 && html`<p>Without a password until a reset: ${numberText(unset)}</p>`}
    <${Bar} parts=${parts.filter(({ count }) => count > 0)} whole=${all} />
    <${CountTable}
      caption="By algorithm, and who set them"
      head=${['Algorithm', 'Logins', 'Signed in']}
      rows=${groups
        .toSorted((a, b) => b.users - a.users)
        .map((one) => ({
          key: `${one.hashingAlgorithm} ${one.setBy}`,
          name: html`${one.hashingAlgorithm} <span class="muted">${one.class}, set by ${one.setBy}</span>`,
          cells: [one.users, one.signedIn],
        }))}
    />
  `;
}
