import { Readable } from 'node:stream';
import { Pool } from 'undici';
import { AppError } from '../lib/errors.ts';

const CONNECT_TIMEOUT_MS = 5000;

/**
 * Maximum numbers of connections and waiting calls. Calls without an API key have a limit of their own, so that they
 * can only delay each other. They fetch public keys of some kilobytes, which the core has in memory, so few connections
 * are enough.
 */
const WITH_KEY = { connections: 240, maxWaiting: 10_000 };
const WITHOUT_KEY = { connections: 16, maxWaiting: 1000 };

/**
 * Maximum number of long answers that are passed on at the same time. Each holds a connection for as long as its client
 * reads, however slowly. The other connections stay free for short calls.
 */
const MAX_STREAMS = 128;

/** Maximum bytes of an answer that is read completely before it is passed on. */
const MAX_PASSED_WHOLE = 64 * 1024;

/**
 * Maximum bytes of an answer that this service reads itself. A page of staged users with much metadata has some
 * megabytes.
 */
const MAX_READ = 64 * 1024 * 1024;

export interface CoreAddress {
  /** URI of the SuperTokens core, which may have a base path. */
  uri: string;
  apiKey: string | undefined;
  /** Maximum milliseconds of waiting for the next byte of the core, before an answer and within it. */
  timeoutMs: number;
}

export interface CoreRequest {
  method: string;
  /** Path and query of the request, which are sent unchanged. */
  path: string;
  /** Names and values of headers in turn, without an API key. */
  headers: readonly string[];
  /** The complete body. A body that is still arriving would hold a connection for as long as its client sends. */
  body?: Buffer | undefined;
  withKey: boolean;
  signal?: AbortSignal | undefined;
}

export interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer | Readable;
}

export interface WholeAnswer extends Answer {
  body: Buffer;
}

interface Lane {
  pool: Pool;
  maxWaiting: number;
  /** Requests whose answers have not begun. */
  waiting: number;
}

/**
 * Connections to the core. Each request is sent only once, because the core may have acted on a request that failed.
 */
export class CoreConnection {
  readonly #withKey: Lane;
  readonly #withoutKey: Lane;
  readonly #basePath: string;
  readonly #keyHeader: readonly string[];
  #streams = 0;

  constructor({ uri, apiKey, timeoutMs }: CoreAddress) {
    const { origin, pathname } = new URL(uri);
    this.#basePath = pathname.replace(/\/+$/, '');
    this.#keyHeader = apiKey === undefined ? [] : ['api-key', apiKey];
    const lane = ({ connections, maxWaiting }: typeof WITH_KEY): Lane => ({
      pool: new Pool(origin, {
        connections,
        pipelining: 1,
        connect: { timeout: Math.min(CONNECT_TIMEOUT_MS, timeoutMs) },
        headersTimeout: timeoutMs,
        bodyTimeout: timeoutMs,
      }),
      maxWaiting,
      waiting: 0,
    });
    this.#withKey = lane(WITH_KEY);
    this.#withoutKey = lane(WITHOUT_KEY);
  }

  /**
   * Sends a request. Resolves when the answer is complete.
   * @throws {AppError} CORE_UNAVAILABLE if there is no answer, or one that is longer than MAX_READ; OVERLOADED if too
   * many requests wait. An aborted call throws the reason of the abort instead
   */
  async send(request: CoreRequest): Promise<WholeAnswer> {
    const answer = await this.#dispatch(request, MAX_READ, () => {
      throw unavailable(new Error('the answer is too long'));
    });
    return answer as WholeAnswer;
  }

  /**
   * Sends a request. Resolves when a short answer is complete, or with a stream when the beginning of a long answer has
   * arrived.
   * @throws {AppError} the errors of `send`, and OVERLOADED if too many long answers are being passed on
   */
  forward(request: CoreRequest): Promise<Answer> {
    return this.#dispatch(request, MAX_PASSED_WHOLE, () => {
      if (this.#streams >= MAX_STREAMS)
        throw new AppError('OVERLOADED', 'Service is overloaded: too many long answers at the same time');
      this.#streams += 1;
      return () => {
        this.#streams -= 1;
      };
    });
  }

  /**
   * @param wholeBytes bytes up to which an answer is read completely, however slowly the caller takes it
   * @param onLong called when an answer is longer, before it is streamed. May throw to prevent this. Returns a function
   * that is called when the answer has freed its connection
   */
  async #dispatch(
    { method, path, headers, body, withKey, signal }: CoreRequest,
    wholeBytes: number,
    onLong: () => () => void,
  ): Promise<Answer> {
    const lane = withKey ? this.#withKey : this.#withoutKey;
    if (lane.waiting >= lane.maxWaiting)
      throw new AppError('OVERLOADED', 'Service is overloaded: too many calls wait for the SuperTokens core');
    lane.waiting += 1;
    try {
      const answer = await lane.pool.request({
        method,
        path: this.#basePath + path,
        headers: withKey ? [...headers, ...this.#keyHeader] : [...headers],
        body: body ?? null,
        signal,
      });
      return {
        status: answer.statusCode,
        headers: answer.headers,
        body: await read(answer.body, wholeBytes, onLong),
      };
    } catch (cause) {
      signal?.throwIfAborted();
      throw cause instanceof AppError ? cause : unavailable(cause);
    } finally {
      lane.waiting -= 1;
    }
  }

  async close(): Promise<void> {
    await Promise.all([this.#withKey.pool.destroy(), this.#withoutKey.pool.destroy()]);
  }
}

const unavailable = (cause: unknown) =>
  new AppError('CORE_UNAVAILABLE', 'The SuperTokens core behind this service does not answer', { cause });

/** Reads a short body completely. Returns a longer body as a stream, after its first `wholeBytes` have arrived. */
async function read(
  body: Readable,
  wholeBytes: number,
  onLong: () => () => void,
): Promise<Buffer | Readable> {
  // The iterator below reports the same error. Without a listener, it would end the process.
  body.on('error', () => {});
  const rest: AsyncIterator<Buffer> = body[Symbol.asyncIterator]();
  const chunks: Buffer[] = [];
  let length = 0;
  while (length <= wholeBytes) {
    const next = await rest.next();
    if (next.done) return Buffer.concat(chunks);
    chunks.push(next.value);
    length += next.value.length;
  }
  try {
    body.once('close', onLong());
  } catch (error) {
    body.destroy();
    throw error;
  }
  async function* all(): AsyncGenerator<Buffer> {
    yield* chunks;
    for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
  }
  return Readable.from(all(), { objectMode: false }).once('close', () => body.destroy());
}
