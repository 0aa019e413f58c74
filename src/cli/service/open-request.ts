import { type ClientRequest, request as httpRequest, type RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { ServiceAddress } from '../options/service-options.ts';

/** How long the service may be silent over what it answers at once, in ms. */
export const SHORT_TIMEOUT_MS = 30_000;

interface Request extends Pick<RequestOptions, 'method' | 'headers'> {
  /** Is the key kept back? */
  isKeyless?: boolean;
}

/**
 * Begins a request of its own connection: one that was kept may have been closed meanwhile. Follows no
 * redirect and no proxy.
 */
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
    // Also where NODE_TLS_REJECT_UNAUTHORIZED says otherwise for all that Node.js does.
    rejectUnauthorized: true,
    headers: { ...(!isKeyless && { 'api-key': apiKey }), 'user-agent': 'user-import', ...headers },
  });
}
