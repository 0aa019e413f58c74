import { useEffect, useMemo, useState } from 'preact/hooks';
import { Api } from './api.js';
import { CensusView } from './census-view.js';
import { HandOverView } from './hand-over-view.js';
import { html } from './html.js';
import { ImportList } from './import-list.js';
import { ImportView } from './import-view.js';
import { LoginForm } from './login-form.js';

/** The fragment of the page's URL may contain an import id, and never an API key. */
function readRoute() {
  const [, view = '', importId = ''] = location.hash.split('/');
  return view === 'import' && importId !== '' ? { view, importId } : { view, importId: '' };
}

function useRoute() {
  const [route, setRoute] = useState(readRoute);
  useEffect(() => {
    const onChange = () => setRoute(readRoute());
    addEventListener('hashchange', onChange);
    return () => removeEventListener('hashchange', onChange);
  }, []);
  return route;
}

export function App() {
  const [login, setLogin] = useState(/** @type {import('./login-form.js').Login | undefined} */ (undefined));
  const [notice, setNotice] = useState('');
  const api = useMemo(() => login && new Api(login.key, login.rights), [login]);
  const { view, importId } = useRoute();
  const logOut = (/** @type {string} */ why) => {
    setLogin(undefined);
    setNotice(why);
  };
  if (api === undefined) return html`<${LoginForm} notice=${notice} onLogin=${setLogin} />`;

  const onRefused = () => logOut('The service does not accept this key any more.');
  const current = (/** @type {boolean} */ isIt) => (isIt ? 'page' : undefined);
  return html`
    <header>
      <nav aria-label="Views">
        <a href="#/" aria-current=${current(view !== 'census' && view !== 'hand-over')}>Imports</a>
        <a href="#/census" aria-current=${current(view === 'census')}>Password hashes</a>
        <a href="#/hand-over" aria-current=${current(view === 'hand-over')}>Hand-over</a>
      </nav>
      <button type="button" onClick=${() => logOut('')}>Log out</button>
    </header>
    <main>
      ${
        view === 'census'
          ? html`<${CensusView} api=${api} onRefused=${onRefused} />`
          : view === 'hand-over'
            ? html`<${HandOverView} api=${api} onRefused=${onRefused} />`
            : view === 'import'
              ? html`<${ImportView} key=${importId} api=${api} importId=${importId} onRefused=${onRefused} />`
              : html`<${ImportList} api=${api} onRefused=${onRefused} />`
      }
    </main>
  `;
}
