import { render } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { CensusView } from './census-view.js';
import { ImportList } from './import-list.js';
import { ImportView } from './import-view.js';
import { forgetKey, LoginForm } from './login-form.js';
import { MovingView } from './moving-view.js';
import { html } from './parts.js';

/** @typedef {import('./api.js').Api} Api */

const place = /** @type {HTMLElement} */ (document.getElementById('page'));

/** Features of the service for users who move to another system: some of `hooks`, `rehearsal` and `core`. */
const moves = (place.dataset.moves ?? '').split(' ').filter((word) => word !== '');

/** The first view is shown unless the address names another one. */
const VIEWS = [
  { name: '', text: 'Imports', View: ImportList },
  ...(moves.length > 0 ? [{ name: 'moving', text: 'First sign-ins', View: MovingView }] : []),
  { name: 'census', text: 'Hashes', View: CensusView },
];

/** Returns the view and the import id in the fragment of the page's URL, which never contains an API key. */
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
  const shown = VIEWS.find(({ name }) => name === view) ?? VIEWS[0];
  return html`
    <header>
      <nav aria-label="Views">
        ${VIEWS.map(
          (one) =>
            html`<a key=${one.name} href="#/${one.name}" aria-current=${one === shown ? 'page' : undefined}>${one.text}</a>`,
        )}
      </nav>
      <button type="button" onClick=${() => logOut('')}>Log out</button>
    </header>
    <main>
      ${
        view === 'import' && importId !== ''
          ? html`<${ImportView} key=${importId} api=${api} importId=${importId} />`
          : html`<${shown?.View} api=${api} moves=${moves} />`
      }
    </main>
  `;
}

render(html`<${App} />`, place);
