import type { Readable } from 'node:stream';
import { Pool } from 'undici';
import { AppError } from '../lib/errors.ts';
import { type Answer, AnswerReader } from './answer-reader.ts';

const CONNECT_TIMEOUT_MS = 5000;

const MAX_CONNECTIONS = 256;
const MAX_WAITING = 10_000;

/** Bytes of an answer that `bytes` reads. A page of staged users with much metadata has some megabytes. */
const MAX_BYTES = 64 * 1024 * 1024;

export interface CoreAddress {
  /** URI of the SuperTokens core, which may have a base path. */
  uri: string;
  apiKey: string | undefined;
  /** Maximum milliseconds of waiting for a byte of the core, before an answer and within it. */
  timeoutMs: number;
}

export interface CoreRequest {
  method: string;
  /** Path and query of the request, which are sent unchanged. */
  path: string;
  /** Names and values of headers in turn, without an API key. */
  headers: readonly string[];
  body?: Buffer | Readable | undefined;
  withKey: boolean;
  onAbortable?: ((abort: (reason: Error) => void) => void) | undefined;
}

export interface CoreAnswer extends Answer {
  /** @throws {AppError} CORE_UNAVAILABLE if the connection breaks or the body is longer than MAX_BYTES */
  bytes(): Promise<Buffer>;
}

/** Sends each request to the core once, because the core may have acted on a request that failed. */
export class CoreConnection {
  readonly #pool: Pool;
  readonly #basePath: string;
  readonly #keyHeader: readonly string[];
  /** Requests whose answers have not begun. */
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
   * Resolves when a short answer is complete, or when the head of a long answer has arrived.
   * @throws {AppError} CORE_UNAVAILABLE if there is no answer, OVERLOADED if too many requests wait. An
   * aborted call throws the reason of the abort instead
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
