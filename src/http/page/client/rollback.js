import { useEffect, useRef, useState } from 'preact/hooks';
import { nameOf } from './import-state.js';
import { countText, html, numberText, textOf } from './parts.js';

/** @typedef {import('../answers.ts').Import} Import */

/** @type {readonly [name: import('../answers.ts').RollbackCount, words: string][]} */
const COUNTS = [
  ['usersRemoved', 'users removed'],
  ['usersKept', 'users kept: they have signed in or were changed since'],
  ['hashesRestored', 'hashes put back'],
  ['hashesKept', 'hashes kept'],
  ['emailsRestored', 'e-mails put back'],
  ['emailsKept', 'e-mails kept'],
  ['statesRestored', 'states put back'],
  ['statesKept', 'states kept'],
  ['factorsRestored', 'factors put back'],
  ['factorsKept', 'factors kept'],
  ['usersRestored', 'matched or missing users put back'],
  ['usersNotRestored', 'of them not put back: used or changed since, or their address is taken'],
];

/** @param {{api: import('./api.js').Api, one: Import, onChange(): void}} props */
export function Rollback({ api, one, onChange }) {
  const result = useRef(/** @type {HTMLElement | null} */ (null));
  const [isOpen, setOpen] = useState(false);
  const [said, setSaid] = useState('');
  const isOver = one.status === 'ROLLED_BACK' || one.expiredAt !== undefined;
  const close = (/** @type {string} */ outcome) => {
    setOpen(false);
    setSaid(outcome);
    onChange();
  };
  useEffect(() => {
    if (said !== '') result.current?.focus();
  }, [said]);

  return html`
    <div tabindex="-1" ref=${result} role="status">
      ${said && html`<p>${said}</p>`}
      ${one.rollback && html`<${Counts} rollback=${one.rollback} />`}
    </div>
    ${one.expiredAt !== undefined && one.status !== 'ROLLED_BACK' && html`<p>What it did is too old to be undone (<code>import_undo_days</code>).</p>`}
    ${!isOver && html`<p class="muted">${effectText(one)} ${EXCEPTION}</p>`}
    ${
      !isOver &&
      (api.may('manage')
        ? html`<button type="button" class="danger" onClick=${() => setOpen(true)}>
            ${one.status === 'ROLLBACK_UNFINISHED' ? 'Go on rolling back…' : 'Roll back…'}
          </button>`
        : html`<p>This key may not roll back: it lacks the right <code>manage</code>.</p>`)
    }
    ${isOpen && html`<${Confirmation} api=${api} one=${one} onDone=${close} onCancel=${() => setOpen(false)} />`}
  `;
}

const EXCEPTION = 'Users who have signed in or been changed since stay as they are.';

/** Says how many users a rollback concerns. @param {Import} one */
function effectText({ created, updated, missing }) {
  const back = updated + (missing?.removed ?? 0);
  return [
    `A rollback removes the ${countText(created, 'user')} that this import created`,
    ...(back > 0 ? [` and puts ${countText(back, 'user')} back that it changed or removed`] : []),
    '.',
  ].join('');
}

/** @param {{rollback: NonNullable<Import['rollback']>}} props */
const Counts = ({ rollback }) => html`
  <ul>
    ${COUNTS.filter(([name]) => rollback[name] > 0 || name === 'usersRemoved').map(
      ([name, words]) => html`<li key=${name}>${numberText(rollback[name])} ${words}</li>`,
    )}
  </ul>
`;

/**
 * @param {{api: import('./api.js').Api, one: Import, onDone(outcome: string): void, onCancel(): void}} props
 */
function Confirmation({ api, one, onDone, onCancel }) {
  const { importId, running, rollback } = one;
  const dialog = useRef(/** @type {HTMLDialogElement | null} */ (null));
  const input = useRef(/** @type {HTMLInputElement | null} */ (null));
  const [problem, setProblem] = useState('');
  const [isBusy, setBusy] = useState(false);
  useEffect(() => dialog.current?.showModal(), []);

  const refuse = (/** @type {string} */ why) => {
    setBusy(false);
    setProblem(why);
    input.current?.focus();
  };
  const onSubmit = async (/** @type {Event} */ event) => {
    event.preventDefault();
    if (isBusy) return;
    if (input.current?.value.trim() !== importId) return refuse('That is not the id of this import.');
    setBusy(true);
    setProblem('');
    try {
      const { status } = await api.post(`bulk-import/imports/${encodeURIComponent(importId)}/rollback`);
      onDone(OUTCOMES[status] ?? status);
    } catch (error) {
      refuse(`${textOf(error)} Roll back again to continue.`);
    }
  };
  // Closing the dialog is not possible during a rollback, which runs in the service and would go on anyway.
  const cancel = (/** @type {Event} */ event) => {
    event.preventDefault();
    if (isBusy) return;
    // The dialog is closed before it is removed, so that the focus returns to the button that opened it.
    dialog.current?.close();
    onCancel();
  };

  return html`
    <dialog ref=${dialog} aria-labelledby="confirm-title" aria-describedby="confirm-about" onCancel=${cancel}>
      <form onSubmit=${onSubmit}>
        <h2 id="confirm-title">Roll back ${nameOf(one)}?</h2>
        <p id="confirm-about">${effectText(one)} ${EXCEPTION} ${running && 'The import still runs, and is ended for good. '}This cannot be undone.</p>
        <label for="confirm-id">Type the import id, <code>${importId}</code>, to confirm</label>
        <input
          id="confirm-id" ref=${input} autofocus autocomplete="off" spellcheck=${false} autocapitalize="off"
          readonly=${isBusy} aria-describedby="confirm-problem" aria-invalid=${problem !== ''}
        />
        <p id="confirm-problem" class="problem" role="alert">${problem}</p>
        <p role="status">${isBusy && `Rolling back…${rollback ? ` ${countText(rollback.usersRemoved, 'user')} removed so far.` : ''}`}</p>
        <div class="row">
          <button type="submit" class="danger" aria-disabled=${isBusy}>Roll back</button>
          <button type="button" aria-disabled=${isBusy} onClick=${cancel}>Cancel</button>
        </div>
      </form>
    </dialog>
  `;
}

/** @type {Record<string, string>} */
const OUTCOMES = {
  OK: 'The import was rolled back.',
  IMPORT_EXPIRED_ERROR: 'Some of its records are too old and were deleted, so nothing (further) was undone.',
  UNKNOWN_IMPORT_ID_ERROR: 'There is no import with this id.',
};
