import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { pipeline } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isJsonObject, type JsonObject } from '../../lib/json/json-object.ts';
import type { CoreAnswer, CoreConnection } from '../../upstream/core-connection.ts';
import { onLeft } from '../server/client-gone.ts';
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
    headers: requestHeaders(raw.rawHeaders, raw.headers.connection, isRead ? 'accept-encoding' : undefined),
    body: body ?? unreadBody(raw),
    withKey: request.apiKeyName !== undefined,
    onAbortable: (abort) => onLeft(reply, abort),
  });
}

export async function wholeAnswer({ status, headers, bytes }: CoreAnswer): Promise<WholeAnswer> {
  const body = await bytes();
  return { status, headers, body, json: jsonOf(body) };
}

/**
 * Sends the answer of the core to the caller, as it comes. It bypasses Fastify, whose hooks and headers are for answers of this
 * service.
 */
export function passOn(
  reply: FastifyReply,
  { status, headers, body }: Pick<CoreAnswer, 'status' | 'headers' | 'body'>,
): FastifyReply {
  const { raw, request } = reply;
  const forCaller = answerHeaders(headers);
  const isWhole = Buffer.isBuffer(body);
  if (isWhole && body.length > 0 && headers['content-length'] === undefined)
    forCaller.push('content-length', String(body.length));
  if (request.server.isLastAnswer(request)) raw.shouldKeepAlive = false;
  raw.writeHead(status, forCaller);
  void reply.hijack();
  // Text in Latin-1 is sent together with the head, and keeps every byte. A Buffer takes a second write.
  if (isWhole) raw.end(body.toString('latin1'), 'latin1');
  // If one side breaks, so does the other.
  else pipeline(body, raw, () => {});
  return reply;
}

/** Returns the bytes of a body that has come with its head, or else the stream of the body. */
function unreadBody(raw: IncomingMessage): Buffer | IncomingMessage | undefined {
  if (raw.headers['transfer-encoding'] !== undefined) return raw;
  const length = Number(raw.headers['content-length'] ?? 0);
  if (length === 0) return undefined;
  return raw.readableLength === length ? raw.read() : raw;
}

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
