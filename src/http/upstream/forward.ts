import { isUtf8 } from 'node:buffer';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isJsonObject, type JsonObject } from '../../lib/json/json-object.ts';
import type { CoreAnswer, CoreConnection } from '../../upstream/core-connection.ts';
import { clientGone } from '../server/client-gone.ts';
import { answerHeaders, requestHeaders } from './forwarded-headers.ts';

/** An answer of the core that was read to its end. */
export interface WholeAnswer extends Pick<CoreAnswer, 'status' | 'headers'> {
  body: Buffer;
  /** The body, if it is a JSON object. */
  json: JsonObject | undefined;
}

/**
 * Sends the request to the core with path, query, headers and body unchanged.
 * @param body the body, if it was read. The answer is then asked for uncompressed, so that this service can read it
 * @throws {AppError} CORE_UNAVAILABLE
 */
export function askCore(
  core: CoreConnection,
  request: FastifyRequest,
  reply: FastifyReply,
  body: Buffer | undefined,
): Promise<CoreAnswer> {
  const { raw, originalUrl } = request;
  const isRead = body !== undefined;
  return core.send({
    method: request.method,
    path: originalUrl,
    headers: requestHeaders(raw.rawHeaders, raw.headers.connection, isRead ? ['accept-encoding'] : []),
    body: isRead ? body : hasBody(request) ? raw : undefined,
    withKey: request.apiKeyName !== undefined,
    signal: clientGone(reply),
  });
}

export async function wholeAnswer({ status, headers, bytes }: CoreAnswer): Promise<WholeAnswer> {
  const body = await bytes();
  return { status, headers, body, json: jsonOf(body) };
}

/** Sends the answer of the core to the caller, as it comes. */
export function passOn(
  reply: FastifyReply,
  { status, headers, body }: Pick<CoreAnswer, 'status' | 'headers'> & { body: unknown },
): FastifyReply {
  // The core decides on its answers. Headers that this service sets on its own would change them.
  for (const name of Object.keys(reply.getHeaders())) reply.removeHeader(name);
  for (const [name, value] of answerHeaders(headers)) void reply.header(name, value);
  return reply.code(status).send(body);
}

const hasBody = ({ raw }: FastifyRequest) =>
  raw.headers['transfer-encoding'] !== undefined || Number(raw.headers['content-length'] ?? 0) > 0;

/** Returns the members of a body that is a JSON object in UTF-8. */
export function jsonOf(body: Buffer): JsonObject | undefined {
  // Bytes that are not UTF-8 would be replaced, so that different passwords become equal.
  if (!isUtf8(body)) return undefined;
  try {
    const value: unknown = JSON.parse(body.toString('utf8'));
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
