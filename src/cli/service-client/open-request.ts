import { type ClientRequest, request as httpRequest, type RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { ServiceAddress } from '../options/service-options.ts';

/** Timeout for requests that the service answers without long work. */
export const SHORT_TIMEOUT_MS = 30_000;

interface Request extends Pick<RequestOptions, 'method' | 'headers'> {
  isKeyless?: boolean;
}

/** Uses no pool: the service may have closed a pooled connection. Follows no redirects and no proxies. */
export function openRequest(
  { url, apiKey }: ServiceAddress,
  path: string,
  { method, headers, isKeyless = false }: Request,
): ClientRequest {
  const target = new URL(url + path);
  const request = target.protocol === 'https:' ? httpsRequest : httpRequest;
  return request(target, {
    method,
    agent: false,
    // The certificate is checked even if NODE_TLS_REJECT_UNAUTHORIZED=0 is set.
    rejectUnauthorized: true,
    headers: { ...(!isKeyless && { 'api-key': apiKey }), 'user-agent': 'user-import', ...headers },
  });
}
