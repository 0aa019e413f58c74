import { once } from 'node:events';
import {
  type ClientRequest,
  request as httpRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
} from 'node:http';
import { request as httpsRequest } from 'node:https';
import { hasErrno } from '../../lib/errors.ts';
import { type JsonObject, objectsIn, parseJsonObject } from '../../lib/json/json-object.ts';
import type { ServiceAddress } from '../options/service-options.ts';
import {
  problemOfAnswer,
  problemOfConnection,
  ServiceProblem,
  unintelligibleAnswer,
} from './service-problem.ts';

/**
 * Maximum length of an answer. The largest has 500 imports with all details. Parsed, an answer takes up to twenty times
 * as much memory.
 */
const MAX_ANSWER_CHARACTERS = 16 * 1024 * 1024;

/** Timeout for requests that the service answers without long work. */
const SHORT_TIMEOUT_MS = 30_000;
const CHECKS_PER_TIMEOUT = 10;

interface RequestOptions {
  method?: 'GET' | 'POST';
  /** Headers in addition to those of every request. If `authorization` is given, the header `api-key` is left out. */
  headers?: Readonly<Record<string, string>>;
  /** Maximum milliseconds without a byte from the service; 0 for no limit. */
  timeoutMs: number;
  /** Aborts the request at once. The reason of the signal is thrown. */
  signal?: AbortSignal | undefined;
  /** Returns whether an answer of the service is due. Otherwise, the timeout does not count. */
  isDue?(): boolean;
}

/** A request to the service. Must be closed. */
export class ServiceRequest {
  readonly request: ClientRequest;
  readonly #url: string;
  readonly #ended: AbortSignal;
  readonly #answered: Promise<IncomingMessage>;
  readonly #watch: NodeJS.Timeout | undefined;
  #heardAtMs = performance.now();

  /**
   * Opens a new connection, because the service may have closed a pooled one. Redirects and proxies are not followed.
   */
  constructor({ url, apiKey }: ServiceAddress, path: string, options: RequestOptions) {
    const { method = 'GET', headers = {}, timeoutMs, signal, isDue = () => true } = options;
    const silence = new AbortController();
    this.#url = url;
    this.#ended = signal === undefined ? silence.signal : AbortSignal.any([signal, silence.signal]);
    const target = new URL(url + path);
    this.request = (target.protocol === 'https:' ? httpsRequest : httpRequest)(target, {
      ...{ method, agent: false, signal: this.#ended },
      // The certificate is checked even if NODE_TLS_REJECT_UNAUTHORIZED=0 is set.
      rejectUnauthorized: true,
      headers: {
        ...(!('authorization' in headers) && { 'api-key': apiKey }),
        ...{ 'user-agent': 'user-import', ...headers },
      },
    });
    // A rollback may send nothing for an hour. Keep-alive probes detect that the connection was lost.
    this.request.once('socket', (socket) => socket.setKeepAlive(true, 30_000));
    this.#answered = once(this.request, 'response').then(([response]) => response);
    // Without a listener, an error would end the process. Callers get the error from `answer` or `ndjson`.
    this.#answered.catch(() => {});
    this.request.on('error', () => {});
    if (timeoutMs === 0) return;
    this.#watch = setInterval(() => {
      if (!isDue()) this.#heardAtMs = performance.now();
      if (performance.now() - this.#heardAtMs <= timeoutMs) return;
      const seconds = Math.round(timeoutMs / 100) / 10;
      silence.abort(new ServiceProblem(`The service sent nothing for ${seconds} s.`, 'often'));
    }, timeoutMs / CHECKS_PER_TIMEOUT);
  }

  /** @throws {ServiceProblem} if the service cannot be reached */
  async answer(): Promise<Answer> {
    const response = await this.#answered.catch((error) => this.#explain(error));
    const decoder = new TextDecoder();
    let text = '';
    for await (const piece of this.#piecesOf(response)) {
      text += decoder.decode(piece, { stream: true });
      if (text.length > MAX_ANSWER_CHARACTERS)
        throw new ServiceProblem(
          'The answer is longer than any answer of user-import-core. Check --url.',
          'never',
        );
    }
    return { status: response.statusCode ?? 0, headers: response.headers, text };
  }

  /**
   * Yields the pieces of an answer that consists of lines of JSON.
   * @throws {ServiceProblem} if the answer is of another kind, or not complete
   */
  async *ndjson(): AsyncGenerator<Buffer> {
    const response = await this.#answered.catch((error) => this.#explain(error));
    this.#heardAtMs = performance.now();
    if (response.statusCode !== 200) throw problemOf(await this.answer());
    if (!/^application\/x-ndjson\b/.test(response.headers['content-type'] ?? ''))
      throw new ServiceProblem('The answer is not from user-import-core. Check --url.', 'never');
    yield* this.#piecesOf(response);
  }

  close(): void {
    clearInterval(this.#watch);
    this.request.destroy();
  }

  /**
   * Yields the pieces of an answer. Errors of the connection become a ServiceProblem; errors of the consumer are not
   * caught.
   */
  async *#piecesOf(response: IncomingMessage): AsyncGenerator<Buffer> {
    try {
      for await (const piece of response) {
        this.#heardAtMs = performance.now();
        yield piece;
      }
    } catch (error) {
      this.#explain(error);
    }
  }

  #explain(error: unknown): never {
    this.#ended.throwIfAborted();
    throw problemOfConnection(error, this.#url);
  }
}

export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}

const problemOf = ({ status, headers, text }: Answer) => problemOfAnswer(status, headers, text);

interface CallOptions extends Partial<RequestOptions> {
  body?: object;
}

async function exchange(
  service: ServiceAddress,
  path: string,
  { body, headers, ...options }: CallOptions,
): Promise<Answer> {
  options.signal?.throwIfAborted();
  const request = new ServiceRequest(service, path, {
    ...{ timeoutMs: SHORT_TIMEOUT_MS, ...options },
    headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
  });
  try {
    request.request.end(body === undefined ? undefined : JSON.stringify(body));
    return await request.answer();
  } finally {
    request.close();
  }
}

/**
 * Sends one request to the service and returns the JSON object of the answer.
 * @throws {ServiceProblem} if the service cannot be reached or answers with an error
 */
export async function callService(
  service: ServiceAddress,
  path: string,
  options: CallOptions = {},
): Promise<JsonObject> {
  const answer = await exchange(service, path, options);
  if (answer.status !== 200) throw problemOf(answer);
  const object = parseJsonObject(answer.text);
  if (object !== undefined) return object;
  throw new ServiceProblem(
    'The answer is not from user-import-core, because it is not JSON. Check --url.',
    'never',
  );
}

/** Sends one request and returns the answer, whatever its status, or undefined if the connection was closed without one. */
export async function askService(
  service: ServiceAddress,
  path: string,
  options: CallOptions,
): Promise<Answer | undefined> {
  try {
    return await exchange(service, path, options);
  } catch (error) {
    if (error instanceof ServiceProblem && hasErrno(error.cause, 'ECONNRESET', 'EPIPE')) return undefined;
    throw error;
  }
}

interface PageOptions {
  /** Member of the answer that has the items. */
  list: string;
  /**
   * Returns the token of the next page. Anything but a text means that there is none. Default: the answer's
   * `nextPaginationToken`.
   */
  next?(answer: JsonObject, items: readonly JsonObject[]): unknown;
  /** Name of the query parameter for this token. */
  cursor?: string;
  signal?: AbortSignal | undefined;
}

/** Number of items in each page, the maximum that the service allows. */
export const PAGE = 500;

/** Yields the pages of a list of the service. */
export async function* pagesOf(
  service: ServiceAddress,
  path: string,
  { list, next = (answer) => answer.nextPaginationToken, cursor = 'paginationToken', signal }: PageOptions,
): AsyncGenerator<{ answer: JsonObject; items: JsonObject[] }> {
  const seen = new Set<string>();
  for (let at: string | undefined; ; ) {
    const query = new URLSearchParams({ limit: String(PAGE), ...(at !== undefined && { [cursor]: at }) });
    const answer = await callService(service, `${path}?${query}`, { signal });
    const items = objectsIn(answer[list]);
    yield { answer, items };
    const following = next(answer, items);
    if (typeof following !== 'string' || following === '') return;
    // A service that always sends the same page would make this loop endless.
    if (seen.has(following)) throw unintelligibleAnswer();
    seen.add(following);
    at = following;
  }
}
