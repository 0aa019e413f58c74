/** Where the service is: this file is at imports/assets/<version>/, behind whatever path a proxy adds. */
const ROOT = new URL('../../../', import.meta.url);

/** An answer that is no 2xx, or none at all (status 0). */
export class CallError extends Error {
  /**
   * @param {number} status
   * @param {string} code
   * @param {string} message
   */
  constructor(status, code, message) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** @param {unknown} error */
export const isRefused = (error) => error instanceof CallError && error.status === 401;

/** Calls the service with one api-key, which is kept here and nowhere else. */
export class Api {
  #key;
  /** How far the clock of the service is ahead of this one, in ms. */
  #aheadMs = 0;

  /** @param {string} key */
  constructor(key) {
    this.#key = key;
  }

  /** What the clock of the service shows, in ms since the epoch. */
  now() {
    return Date.now() + this.#aheadMs;
  }

  /**
   * @param {string} path without the slash at its start
   * @param {AbortSignal} [signal]
   * @returns {Promise<any>}
   */
  get(path, signal) {
    return this.#call('GET', path, signal);
  }

  /**
   * @param {string} path without the slash at its start
   * @param {AbortSignal} [signal]
   * @returns {Promise<any>}
   */
  post(path, signal) {
    return this.#call('POST', path, signal);
  }

  /**
   * @param {string} method
   * @param {string} path
   * @param {AbortSignal} [signal]
   */
  async #call(method, path, signal) {
    const response = await fetch(new URL(path, ROOT), {
      method,
      headers: { 'api-key': this.#key },
      cache: 'no-store',
      credentials: 'omit',
      redirect: 'error',
      ...(signal && { signal }),
    }).catch((error) => {
      if (signal?.aborted) throw error;
      throw new CallError(0, 'UNREACHABLE', 'The service does not answer.');
    });
    const date = Date.parse(response.headers.get('date') ?? '');
    if (!Number.isNaN(date)) this.#aheadMs = date - Date.now();
    const body = await response.json().catch(() => ({}));
    if (response.ok) return body;
    throw new CallError(response.status, body.code ?? '', body.message ?? `Status ${response.status}`);
  }
}

/** May stand in a header. What cannot is no key. */
export const isSendable = (/** @type {string} */ key) => /^[\x21-\x7e]+$/.test(key);
