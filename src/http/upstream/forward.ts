import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { pipeline } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isJsonObject, type JsonObject } from '../../lib/json/json-object.ts';
import type { CoreAnswer, CoreConnection } from '../../upstream/core-connection.ts';
import { onLeft } from '../server/client-gone.ts';
import { answerHeaders, requestHeaders } from './forwarded-headers.ts';

/** An answer of the core whose body was read completely. */
export interface WholeAnswer extends Pick<CoreAnswer, 'status' | 'headers'> {
  body: Buffer;
  /** The parsed body of the answer, if it is a JSON object. */
  json: JsonObject | undefined;
}

/**
 * Sends the request to the core, with path, query, headers and body unchanged.
 * @param body the body, if it was read. The core is then asked not to compress its answer, so that this service can
 * read it
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
 * Sends the answer of the core to the caller as it arrives. It bypasses Fastify, whose hooks and headers are for
 * answers of this service.
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
  // Latin-1 keeps every byte, and text is sent in one write with the head. A Buffer would need a second write.
  if (isWhole) raw.end(body.toString('latin1'), 'latin1');
  // If one side of the stream fails, the other ends, too.
  else pipeline(body, raw, () => {});
  return reply;
}

/** Returns the bytes of a body that arrived completely with its head, otherwise the stream of the body. */
function unreadBody(raw: IncomingMessage): Buffer | IncomingMessage | undefined {
  if (raw.headers['transfer-encoding'] !== undefined) return raw;
  const length = Number(raw.headers['content-length'] ?? 0);
  if (length === 0) return undefined;
  return raw.readableLength === length ? raw.read() : raw;
}

/** Returns the members of a body, or undefined if it is not a JSON object in UTF-8. */
export function jsonOf(body: Buffer): JsonObject | undefined {
  // Decoding would replace bytes that are not UTF-8, so that different passwords become equal.
  if (!isUtf8(body)) return undefined;
  try {
    const value: unknown = JSON.parse(body.toString('utf8'));
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
