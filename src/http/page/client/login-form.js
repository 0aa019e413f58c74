import { useEffect, useRef, useState } from 'preact/hooks';
import { Api, isRefused, isSendable } from './api.js';
import { html } from './html.js';
import { textOf } from './parts.js';

/** @typedef {{key: string, rights: readonly string[]}} Login */

/** @param {{notice: string, onLogin(login: Login): void}} props */
export function LoginForm({ notice, onLogin }) {
  const input = useRef(/** @type {HTMLInputElement | null} */ (null));
  const [problem, setProblem] = useState(notice);
  const [isBusy, setBusy] = useState(false);
  useEffect(() => {
    document.title = 'Log in – Imports';
    input.current?.focus();
  }, []);

  const refuse = (/** @type {string} */ why) => {
    setBusy(false);
    setProblem(why);
    input.current?.focus();
    input.current?.select();
  };
  const logIn = async (/** @type {Event} */ event) => {
    event.preventDefault();
    const key = input.current?.value.trim() ?? '';
    if (key === '') return refuse('Type an api key.');
    if (!isSendable(key)) return refuse('The service does not know this API key.');
    setBusy(true);
    setProblem('');
    try {
      /** @type {{allow: readonly string[]}} */
      const { allow } = await new Api(key).get('api-key');
      if (!allow.includes('read')) return refuse('This key lacks the right "read".');
      onLogin({ key, rights: allow });
    } catch (error) {
      refuse(isRefused(error) ? 'The service does not know this API key.' : textOf(error));
    }
  };

  return html`
    <main class="login">
      <h1>Imports</h1>
      <form onSubmit=${logIn}>
        <label for="key">Api key</label>
        <input
          id="key" type="password" ref=${input} autocomplete="off" spellcheck=${false} autocapitalize="off"
          aria-describedby="key-about key-problem" aria-invalid=${problem !== '' && problem !== notice}
        />
        <p id="key-about" class="muted">One of <code>api_keys</code>. This tab keeps it until it is closed or loaded anew.</p>
        <p id="key-problem" class="problem" role="alert">${problem}</p>
        <button type="submit" class="primary" aria-disabled=${isBusy}>${isBusy ? 'Logging in…' : 'Log in'}</button>
      </form>
    </main>
  `;
}
