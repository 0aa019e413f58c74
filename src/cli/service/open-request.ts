import { type ClientRequest, request as httpRequest, type RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { ServiceAddress } from '../options/service-options.ts';

/** How long the service may be silent over what it answers at once, in ms. */
export const SHORT_TIMEOUT_MS = 30_000;

/** Begins a request of its own connection: one that was kept may have been closed meanwhile. */
export function openRequest(
  { url, apiKey }: ServiceAddress,
  path: string,
  options: Pick<RequestOptions, 'method' | 'headers'>,
): ClientRequest {
  const target = new URL(url + path);
  const request = target.protocol === 'https:' ? httpsRequest : httpRequest;
  return request(target, {
    method: options.method,
    agent: false,
    headers: { 'api-key': apiKey, 'user-agent': 'user-import', ...options.headers },
  });
}
