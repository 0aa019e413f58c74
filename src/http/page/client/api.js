/** URL of the service. This module is at imports/assets/<version>/, below any path that a proxy adds. */
export const ROOT = new URL('../../../', import.meta.url);

/** Maximum milliseconds to wait for an answer. Without a limit, an answer that never comes would end polling. */
const ANSWER_MS = 30_000;

/** Answer of the service with a status other than 2xx, or a missing answer (status 0). */
export class CallError extends Error {
  /**
   * @param {number} status
   * @param {string} message
   */
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/** Client of the service with one API key. */
export class Api {
  #key;
  #onRefused;
  /** @type {readonly string[]} */
  #rights = [];
  /** Milliseconds by which the clock of the service is ahead of the browser's clock. */
  #aheadMs = 0;

  /**
   * @param {string} key
   * @param {() => void} onRefused called when the service does not accept the key any more
   */
  constructor(key, onRefused) {
    this.#key = key;
    this.#onRefused = onRefused;
  }

  /** Loads the rights of the key. Fails if the service does not accept the key. */
  async logIn() {
    this.#rights = (await this.get('api-key')).allow;
  }

  /** @param {string} right */
  may(right) {
    return this.#rights.includes(right);
  }

  /** Current time by the service's clock, in ms since the epoch. */
  now() {
    return Date.now() + this.#aheadMs;
  }

  /**
   * Sends a GET request. Fails if the answer does not come in time.
   * @param {string} path without the slash at its start
   * @param {AbortSignal} [signal]
   * @returns {Promise<any>}
   */
  async get(path, signal) {
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(unreachable()), ANSWER_MS);
    try {
      return await this.#call('GET', path, signal ? AbortSignal.any([signal, late.signal]) : late.signal);
    } finally {
      clearTimeout(timer);
    }
  }

  /**
   * @param {string} path without the slash at its start
   * @returns {Promise<any>}
   */
  post(path) {
    return this.#call('POST', path);
  }

  /**
   * @param {string} method
   * @param {string} path
   * @param {AbortSignal} [signal]
   */
  async #call(method, path, signal) {
    const broken = () => {
      throw signal?.aborted ? signal.reason : unreachable();
    };
    const response = await fetch(new URL(path, ROOT), {
      method,
      headers: { 'api-key': this.#key },
      cache: 'no-store',
      credentials: 'omit',
      redirect: 'error',
      ...(signal && { signal }),
    }).catch(broken);
    const date = Date.parse(response.headers.get('date') ?? '');
    if (!Number.isNaN(date)) this.#aheadMs = date - Date.now();
    const body = jsonOf(await response.text().catch(broken));
    if (response.ok && body !== undefined) return body;
    if (response.ok) throw new CallError(0, 'The answer is not from the service.');
    if (response.status === 401 && this.#rights.length > 0) this.#onRefused();
    throw new CallError(response.status, body?.message ?? `Status ${response.status}`);
  }
}

const unreachable = () => new CallError(0, 'The service does not answer.');

/**
 * Returns the answer as an object, or undefined if it is no JSON object, for example because a proxy sent it.
 * @param {string} text
 * @returns {any}
 */
function jsonOf(text) {
  try {
    const value = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
