import type { FastifyReply, FastifyRequest } from 'fastify';
import type { CoreAnswer, CoreConnection } from '../../upstream/core-connection.ts';
import { clientGone } from '../server/client-gone.ts';
import { answerHeaders, requestHeaders } from './forwarded-headers.ts';

/** Sends the request to the core with path, query, headers and body unchanged. @throws {AppError} CORE_UNAVAILABLE */
export function askCore(
  core: CoreConnection,
  request: FastifyRequest,
  reply: FastifyReply,
  body: Buffer | undefined,
): Promise<CoreAnswer> {
  const { raw, originalUrl } = request;
  return core.send({
    method: request.method,
    path: originalUrl,
    headers: requestHeaders(raw.rawHeaders, raw.headers.connection),
    body: body ?? (hasBody(request) ? raw : undefined),
    withKey: request.apiKeyName !== undefined,
    signal: clientGone(reply),
  });
}

/** Sends the answer of the core to the caller, as it comes. */
export function passOn(reply: FastifyReply, { status, headers, body }: CoreAnswer): FastifyReply {
  // The core decides on its answers. Headers that this service sets on its own would change them.
  for (const name of Object.keys(reply.getHeaders())) reply.removeHeader(name);
  for (const [name, value] of answerHeaders(headers)) void reply.header(name, value);
  return reply.code(status).send(body);
}

const hasBody = ({ raw }: FastifyRequest) =>
  raw.headers['transfer-encoding'] !== undefined || Number(raw.headers['content-length'] ?? 0) > 0;
