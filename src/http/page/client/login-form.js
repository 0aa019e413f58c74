import { useEffect, useRef, useState } from 'preact/hooks';
import { Api, CallError, ROOT } from './api.js';
import { html, textOf } from './parts.js';

/**
 * Name under which the API key is stored. It has the path, because another service may be at another path of the same
 * host.
 */
const KEY = `api-key ${ROOT.pathname}`;

/**
 * Returns the storage of this tab, which the browser empties when the tab is closed. Undefined if the browser does not
 * permit storage.
 */
function tabStorage() {
  try {
    return sessionStorage;
  } catch {
    return undefined;
  }
}

export const forgetKey = () => tabStorage()?.removeItem(KEY);

/** @param {{notice: string, onLogin(api: Api): void, onRefused(): void}} props */
export function LoginForm({ notice, onLogin, onRefused }) {
  const input = useRef(/** @type {HTMLInputElement | null} */ (null));
  const [problem, setProblem] = useState(notice);
  const [isBusy, setBusy] = useState(false);
  const [isReloaded, setReloaded] = useState(() => Boolean(tabStorage()?.getItem(KEY)));

  const refuse = (/** @type {string} */ why) => {
    setBusy(false);
    setReloaded(false);
    setProblem(why);
  };
  const logIn = async (/** @type {string} */ key) => {
    if (key === '') return refuse('Type an API key.');
    // Other characters cannot be sent in a header, and no key has them.
    if (!/^[\x21-\x7e]+$/.test(key)) return refuse('The service does not know this API key.');
    setBusy(true);
    setProblem('');
    try {
      const api = new Api(key, onRefused);
      await api.logIn();
      if (!api.may('read')) return refuse('This key lacks the right "read".');
      tabStorage()?.setItem(KEY, key);
      onLogin(api);
    } catch (error) {
      const isUnknown = error instanceof CallError && error.status === 401;
      if (isUnknown) forgetKey();
      refuse(isUnknown ? 'The service does not know this API key.' : textOf(error));
    }
  };
  const onSubmit = (/** @type {Event} */ event) => {
    event.preventDefault();
    void logIn(input.current?.value.trim() ?? '');
  };
  useEffect(() => {
    document.title = 'Log in – Imports';
    const stored = tabStorage()?.getItem(KEY);
    if (stored && input.current) input.current.value = stored;
    if (stored) void logIn(stored);
  }, []);
  useEffect(() => {
    if (!isBusy) input.current?.focus();
    if (!isBusy) input.current?.select();
  }, [isBusy, isReloaded, problem]);

  return html`
    <main class="login" hidden=${isReloaded}>
      <h1>Imports</h1>
      <form onSubmit=${onSubmit}>
        <label for="key">API key</label>
        <input
          id="key" type="password" ref=${input} autocomplete="off" spellcheck=${false} autocapitalize="off"
          aria-describedby="key-about key-problem" aria-invalid=${problem !== '' && problem !== notice}
        />
        <p id="key-about" class="muted">One of <code>api_keys</code>. This tab keeps it until you log out or close the tab.</p>
        <p id="key-problem" class="problem" role="alert">${problem}</p>
        <button type="submit" class="primary" aria-disabled=${isBusy}>${isBusy ? 'Logging in…' : 'Log in'}</button>
      </form>
    </main>
  `;
}
