import type { Readable } from 'node:stream';
import { Pool } from 'undici';
import { AppError } from '../lib/errors.ts';
import { type Answer, AnswerReader } from './answer-reader.ts';

/** Maximum milliseconds until a connection to the SuperTokens core is established. */
const CONNECT_TIMEOUT_MS = 5000;

/** Maximum number of concurrent requests to the core, and of calls that wait for a connection. */
const MAX_CONNECTIONS = 256;
const MAX_WAITING = 10_000;

/**
 * Maximum length of an answer of the core that `bytes` reads. A page of staged users with much metadata has
 * some megabytes.
 */
const MAX_BYTES = 64 * 1024 * 1024;

export interface CoreAddress {
  /** URI of the SuperTokens core. It may have a base path. */
  uri: string;
  /** API key of the SuperTokens core. Undefined if the core needs none. */
  apiKey: string | undefined;
  /** Maximum milliseconds of waiting for a byte from the core, before an answer and within it. */
  timeoutMs: number;
}

export interface CoreRequest {
  method: string;
  /** Path and query of the request to the core, which are sent unchanged. */
  path: string;
  /** Headers of the request to the core: names and values in turn. They must not include an API key. */
  headers: readonly string[];
  body?: Buffer | Readable | undefined;
  /** Whether the request is sent with the API key of the core. */
  withKey: boolean;
  /** Called with a function that aborts the call to the core. */
  onAbortable?: ((abort: (reason: Error) => void) => void) | undefined;
}

export interface CoreAnswer extends Answer {
  /**
   * Reads the whole body of the core's answer.
   * @throws {AppError} CORE_UNAVAILABLE if the connection breaks or the body is longer than MAX_BYTES
   */
  bytes(): Promise<Buffer>;
}

/**
 * Connections to the SuperTokens core, which are kept open. Sends each request once, because the core may
 * have acted on a request that failed.
 */
export class CoreConnection {
  readonly #pool: Pool;
  readonly #basePath: string;
  readonly #keyHeader: readonly string[];
  /** Number of requests to the core whose answers have not begun. */
  #waiting = 0;

  constructor({ uri, apiKey, timeoutMs }: CoreAddress) {
    const { origin, pathname } = new URL(uri);
    this.#basePath = pathname.replace(/\/+$/, '');
    this.#keyHeader = apiKey === undefined ? [] : ['api-key', apiKey];
    this.#pool = new Pool(origin, {
      connections: MAX_CONNECTIONS,
      pipelining: 1,
      connect: { timeout: Math.min(CONNECT_TIMEOUT_MS, timeoutMs) },
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
    });
  }

  /**
   * Sends a request to the core. Resolves when a short answer is complete, or when the head of a long answer
   * has arrived.
   * @throws {AppError} CORE_UNAVAILABLE if there is no answer, OVERLOADED if too many requests wait. If the
   * call was aborted, throws the reason for that instead
   */
  async send({ method, path, headers, body, withKey, onAbortable }: CoreRequest): Promise<CoreAnswer> {
    if (this.#waiting >= MAX_WAITING)
      throw new AppError('OVERLOADED', 'Service is overloaded: too many calls wait for the SuperTokens core');
    const reader = new AnswerReader(method);
    this.#waiting += 1;
    this.#pool.dispatch(
      {
        method,
        path: this.#basePath + path,
        headers: withKey ? [...headers, ...this.#keyHeader] : [...headers],
        body: body ?? null,
      },
      reader,
    );
    onAbortable?.((reason) => reader.abort(reason));
    try {
      const answer = await reader.answer;
      return { ...answer, bytes: () => bytesOf(answer) };
    } catch (cause) {
      throw reader.abortReason ?? unavailable(cause);
    } finally {
      this.#waiting -= 1;
    }
  }

  /** Aborts all requests to the core. */
  async close(): Promise<void> {
    await this.#pool.destroy();
  }
}

async function bytesOf({ body }: Answer): Promise<Buffer> {
  if (Buffer.isBuffer(body)) return body;
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length > MAX_BYTES) throw new Error('the answer is too long');
      chunks.push(chunk);
    }
  } catch (cause) {
    throw unavailable(cause);
  }
  return Buffer.concat(chunks);
}

const unavailable = (cause: unknown) =>
  new AppError('CORE_UNAVAILABLE', 'The SuperTokens core behind this service does not answer', { cause });
