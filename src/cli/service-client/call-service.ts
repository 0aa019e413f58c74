import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { isJsonObject, type JsonObject } from '../../lib/json/json-object.ts';
import type { ServiceAddress } from '../options/service-options.ts';
import { openRequest } from './open-request.ts';
import { problemOfAnswer, problemOfConnection, ServiceProblem } from './service-problem.ts';

/** The largest answer has 500 imports with all details. Parsed, it takes up to twenty times the memory. */
const MAX_ANSWER_CHARACTERS = 16 * 1024 * 1024;

export interface CallOptions {
  method?: 'GET' | 'POST';
  body?: object;
  /** Maximum milliseconds without a byte from the service. */
  timeoutMs?: number | undefined;
  signal?: AbortSignal | undefined;
}

/**
 * Sends one request to the service and returns the JSON object of the answer.
 * @throws {ServiceProblem} if the service cannot be reached or answers with an error
 */
export async function callService(
  service: ServiceAddress,
  path: string,
  { method = 'GET', body, timeoutMs, signal }: CallOptions = {},
): Promise<JsonObject> {
  const request = openRequest(service, path, {
    method,
    headers: body === undefined ? {} : { 'content-type': 'application/json' },
  });
  const stop = () => request.destroy(signal?.reason);
  signal?.addEventListener('abort', stop);
  if (timeoutMs !== undefined)
    request.setTimeout(timeoutMs, () => request.destroy(silenceProblem(timeoutMs)));
  // A rollback may send nothing for an hour. Keep-alive probes detect that the connection was lost.
  request.once('socket', (socket) => socket.setKeepAlive(true, 30_000));
  try {
    request.end(body === undefined ? undefined : JSON.stringify(body));
    const [response]: [IncomingMessage] = (await once(request, 'response')) as [IncomingMessage];
    const text = await readText(response);
    if (response.statusCode !== 200) throw problemOfAnswer(response.statusCode ?? 0, response.headers, text);
    return jsonOf(text);
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
export async function readText(response: IncomingMessage): Promise<string> {
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
export function requireNdjson({ headers }: IncomingMessage): void {
  if (!/^application\/x-ndjson\b/.test(headers['content-type'] ?? ''))
    throw new ServiceProblem('The answer is not from user-import-core. Check --url.', { retry: 'never' });
}

function jsonOf(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    if (isJsonObject(value)) return value;
  } catch {
    // The parser's message is left out, because it quotes the answer.
  }
  throw new ServiceProblem('The answer is not from user-import-core, because it is not JSON. Check --url.', {
    retry: 'never',
  });
}
