import type { Readable } from 'node:stream';
import { Pool } from 'undici';
import { AppError } from '../lib/errors.ts';

/** Longest that connecting to the core may take, in ms. */
const CONNECT_TIMEOUT_MS = 5000;

/** Requests that may be in progress at once, and those that may wait for their turn. */
const MAX_CONNECTIONS = 256;
const MAX_WAITING = 10_000;

export interface CoreAddress {
  /** URI of the core, with a base path or without. */
  uri: string;
  /** Key that the core asks for. Undefined if it asks for none. */
  apiKey: string | undefined;
  /** Longest that the core may stay silent, in ms: before its answer begins, and within the answer. */
  timeoutMs: number;
}

export interface CoreRequest {
  method: string;
  /** Path and query, sent as they are. */
  path: string;
  /** Names and values in turn. They must not name a key. */
  headers: readonly string[];
  body?: Buffer | Readable | undefined;
  /** Whether the core's key is sent. */
  withKey: boolean;
  signal?: AbortSignal | undefined;
}

export interface CoreAnswer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Readable;
  /**
   * Reads the whole body.
   * @throws {AppError} CORE_UNAVAILABLE if the answer breaks off
   */
  bytes(): Promise<Buffer>;
}

/** Kept connections to the SuperTokens core. Sends each request once, because the core may have acted on a request that failed. */
export class CoreConnection {
  readonly #pool: Pool;
  readonly #basePath: string;
  readonly #keyHeader: readonly string[];

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
   * Resolves when the head of the answer is there.
   * @throws {AppError} CORE_UNAVAILABLE if there is no answer, OVERLOADED if too many requests wait; the reason of the signal
   * if that aborts
   */
  async send({ method, path, headers, body, withKey, signal }: CoreRequest): Promise<CoreAnswer> {
    if (this.#pool.stats.queued >= MAX_WAITING)
      throw new AppError('OVERLOADED', 'Service is overloaded: too many calls wait for the SuperTokens core');
    try {
      const answer = await this.#pool.request({
        method,
        path: this.#basePath + path,
        headers: withKey ? [...headers, ...this.#keyHeader] : [...headers],
        body: body ?? null,
        signal: signal ?? null,
      });
      const { statusCode: status, headers: answerHeaders, body: answerBody } = answer;
      const bytes = async () => {
        try {
          return Buffer.from(await answerBody.bytes());
        } catch (cause) {
          throw unavailable(cause, signal);
        }
      };
      return { status, headers: answerHeaders, body: answerBody, bytes };
    } catch (cause) {
      throw unavailable(cause, signal);
    }
  }

  /** Breaks off all requests. */
  async close(): Promise<void> {
    await this.#pool.destroy();
  }
}

/** Returns the reason of the signal if that has aborted. */
const unavailable = (cause: unknown, signal: AbortSignal | undefined): unknown =>
  signal?.aborted
    ? signal.reason
    : new AppError('CORE_UNAVAILABLE', 'The SuperTokens core behind this service does not answer', { cause });
