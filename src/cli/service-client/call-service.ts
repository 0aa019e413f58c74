import { once } from 'node:events';
import {
  type ClientRequest,
  request as httpRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type RequestOptions,
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

/** The largest answer has 500 imports with all details. Parsed, it takes up to twenty times the memory. */
const MAX_ANSWER_CHARACTERS = 16 * 1024 * 1024;

/** Timeout for requests that the service answers without long work. */
const SHORT_TIMEOUT_MS = 30_000;

interface CallOptions {
  /** Headers besides those of every request. A header `authorization` takes the place of the key in `api-key`. */
  headers?: Record<string, string>;
  method?: 'GET' | 'POST';
  body?: object;
  /** Maximum milliseconds without a byte from the service; 0 for no limit. Default: that of short work. */
  timeoutMs?: number;
  signal?: AbortSignal | undefined;
}

interface ExchangeOptions extends CallOptions {
  timeoutMs: number;
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
  const response = await exchange(service, path, { timeoutMs: SHORT_TIMEOUT_MS, ...options });
  if (response.status !== 200) throw problemOfAnswer(response.status, response.headers, response.text);
  const object = parseJsonObject(response.text);
  if (object !== undefined) return object;
  throw new ServiceProblem('The answer is not from user-import-core, because it is not JSON. Check --url.', {
    retry: 'never',
  });
}

interface PageOptions {
  /** Member of the answer that has the items. */
  list: string;
  /** Member of the answer that names the next page, and the parameter for it. */
  next: string;
  cursor: string;
  signal?: AbortSignal | undefined;
}

/** Number of items in each page, the maximum that the service allows. */
const PAGE = 500;

/** Yields the pages of a list of the service. */
export async function* pagesOf(
  service: ServiceAddress,
  path: string,
  { list, next, cursor, signal }: PageOptions,
): AsyncGenerator<{ answer: JsonObject; items: JsonObject[] }> {
  const seen = new Set<string>();
  for (let at: string | undefined; ; ) {
    const query = new URLSearchParams({ limit: String(PAGE), ...(at !== undefined && { [cursor]: at }) });
    const answer = await callService(service, `${path}?${query}`, { signal });
    yield { answer, items: objectsIn(answer[list]) };
    const following = answer[next];
    if (typeof following !== 'string' || following === '') return;
    // A service that always sends the same page would make this loop endless.
    if (seen.has(following)) throw unintelligibleAnswer();
    seen.add(following);
    at = following;
  }
}

export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}

/** Sends one request and returns the answer, whatever its status, or undefined if the connection was closed without one. */
export async function askService(
  service: ServiceAddress,
  path: string,
  options: CallOptions,
): Promise<Answer | undefined> {
  try {
    return await exchange(service, path, { timeoutMs: SHORT_TIMEOUT_MS, ...options });
  } catch (error) {
    if (hasErrno(error instanceof ServiceProblem ? error.cause : error, 'ECONNRESET', 'EPIPE'))
      return undefined;
    throw error;
  }
}

/** @throws {ServiceProblem} if the service cannot be reached */
async function exchange(
  service: ServiceAddress,
  path: string,
  { method = 'GET', body, timeoutMs, signal, headers = {} }: ExchangeOptions,
): Promise<Answer> {
  const request = openRequest(service, path, {
    method,
    headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
  });
  const stop = () => request.destroy(signal?.reason);
  signal?.addEventListener('abort', stop);
  request.setTimeout(timeoutMs, () => request.destroy(silenceProblem(timeoutMs)));
  // A rollback may send nothing for an hour. Keep-alive probes detect that the connection was lost.
  request.once('socket', (socket) => socket.setKeepAlive(true, 30_000));
  try {
    request.end(body === undefined ? undefined : JSON.stringify(body));
    const [response]: [IncomingMessage] = (await once(request, 'response')) as [IncomingMessage];
    const { statusCode: status = 0, headers } = response;
    return { status, headers, text: await readText(response) };
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    throw problemOfConnection(error, service.url);
  } finally {
    signal?.removeEventListener('abort', stop);
    request.destroy();
  }
}

export const silenceProblem = (timeoutMs: number) =>
  new ServiceProblem(`The service sent nothing for ${Math.round(timeoutMs / 100) / 10} s.`, {
    retry: 'often',
  });

/** @throws {ServiceProblem} if the body is longer than any answer of the service */
async function readText(response: IncomingMessage): Promise<string> {
  response.setEncoding('utf8');
  let text = '';
  for await (const piece of response) {
    text += piece;
    if (text.length > MAX_ANSWER_CHARACTERS)
      throw new ServiceProblem('The answer is longer than any answer of user-import-core. Check --url.', {
        retry: 'never',
      });
  }
  return text;
}

/** @throws {ServiceProblem} unless the answer consists of lines of JSON */
export async function requireNdjson(response: IncomingMessage): Promise<void> {
  const { statusCode = 0, headers } = response;
  if (statusCode !== 200) throw problemOfAnswer(statusCode, headers, await readText(response));
  if (!/^application\/x-ndjson\b/.test(headers['content-type'] ?? ''))
    throw new ServiceProblem('The answer is not from user-import-core. Check --url.', { retry: 'never' });
}

const isSentAsBearer = (headers: RequestOptions['headers']) =>
  headers !== undefined && 'authorization' in headers;

/** Uses no pool: the service may have closed a pooled connection. Follows no redirects and no proxies. */
export function openRequest(
  { url, apiKey }: ServiceAddress,
  path: string,
  { method, headers }: Pick<RequestOptions, 'method' | 'headers'>,
): ClientRequest {
  const target = new URL(url + path);
  const request = target.protocol === 'https:' ? httpsRequest : httpRequest;
  return request(target, {
    method,
    agent: false,
    // The certificate is checked even if NODE_TLS_REJECT_UNAUTHORIZED=0 is set.
    rejectUnauthorized: true,
    headers: {
      ...(!isSentAsBearer(headers) && { 'api-key': apiKey }),
      ...{ 'user-agent': 'user-import', ...headers },
    },
  });
}
