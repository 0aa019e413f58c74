import { render } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { CensusView } from './census-view.js';
import { html } from './html.js';
import { ImportList } from './import-list.js';
import { ImportView } from './import-view.js';
import { forgetKey, LoginForm } from './login-form.js';
import { MovingView } from './moving-view.js';

/** @typedef {import('./api.js').Api} Api */

const place = /** @type {HTMLElement} */ (document.getElementById('page'));

/** What the service does for users who move: of `hooks`, `rehearsal` and `core`. */
const moves = (place.dataset.moves ?? '').split(' ').filter((word) => word !== '');

/** @type {[view: string, name: string][]} */
const NAV = [
  ['', 'Imports'],
  ...(moves.length > 0 ? [/** @type {[string, string]} */ (['moving', 'First sign-ins'])] : []),
  ['census', 'Hashes'],
];

/** The fragment of the page's URL may contain an import id, and never an API key. */
const readRoute = () => location.hash.split('/').slice(1);

function App() {
  const [api, setApi] = useState(/** @type {Api | undefined} */ (undefined));
  const [notice, setNotice] = useState('');
  const [[view = '', importId = ''], setRoute] = useState(readRoute);
  useEffect(() => {
    const onChange = () => setRoute(readRoute());
    addEventListener('hashchange', onChange);
    return () => removeEventListener('hashchange', onChange);
  }, []);
  const logOut = (/** @type {string} */ why) => {
    forgetKey();
    setApi(undefined);
    setNotice(why);
  };
  if (api === undefined) {
    const onRefused = () => logOut('The service does not accept this key any more.');
    return html`<${LoginForm} notice=${notice} onLogin=${setApi} onRefused=${onRefused} />`;
  }
  const shown = NAV.some(([name]) => name === view) ? view : '';
  return html`
    <header>
      <nav aria-label="Views">
        ${NAV.map(
          ([name, text]) =>
            html`<a key=${name} href="#/${name}" aria-current=${name === shown ? 'page' : undefined}>${text}</a>`,
        )}
      </nav>
      <button type="button" onClick=${() => logOut('')}>Log out</button>
    </header>
    <main>
      ${
        view === 'import' && importId !== ''
          ? html`<${ImportView} key=${importId} api=${api} importId=${importId} />`
          : shown === 'census'
            ? html`<${CensusView} api=${api} />`
            : shown === 'moving'
              ? html`<${MovingView} api=${api} moves=${moves} />`
              : html`<${ImportList} api=${api} />`
      }
    </main>
  `;
}

render(html`<${App} />`, place);
