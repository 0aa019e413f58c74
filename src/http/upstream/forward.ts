import type { IncomingMessage } from 'node:http';
import { pipeline } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type JsonObject, parseJsonObject } from '../../lib/json/json-object.ts';
import type { CoreAnswer, CoreConnection } from '../../upstream/core-connection.ts';
import { onLeft } from '../server/client-gone.ts';
import { answerHeaders, requestHeaders } from './forwarded-headers.ts';

export interface WholeAnswer extends Pick<CoreAnswer, 'status' | 'headers'> {
  body: Buffer;
  /** Undefined if the body is not a JSON object. */
  json: JsonObject | undefined;
}

/**
 * Sends the caller's request to the SuperTokens core, with path, query, headers and body unchanged.
 * @param body the body, if this service has read it. The core is then asked not to compress its answer, so
 * that this service can read the answer as well
 * @param readsAuthorization whether the header `Authorization` is for the core, and no key of this service
 * @throws {AppError} CORE_UNAVAILABLE
 */
export function askCore(
  core: CoreConnection,
  request: FastifyRequest,
  reply: FastifyReply,
  body: Buffer | undefined,
  readsAuthorization = false,
): Promise<CoreAnswer> {
  const { raw, originalUrl } = request;
  const isRead = body !== undefined;
  return core.send({
    method: request.method,
    path: originalUrl,
    headers: requestHeaders(raw.rawHeaders, raw.headers.connection, {
      without: isRead ? 'accept-encoding' : undefined,
      readsAuthorization,
    }),
    body: body ?? unreadBody(raw),
    withKey: request.apiKeyName !== undefined,
    onAbortable: (abort) => onLeft(reply, abort),
  });
}

export async function wholeAnswer({ status, headers, bytes }: CoreAnswer): Promise<WholeAnswer> {
  const body = await bytes();
  return { status, headers, body, json: parseJsonObject(body.toString('utf8')) };
}

/**
 * Sends the core's answer to the caller as it arrives. Bypasses Fastify, whose hooks and headers are for
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
  // Node.js sends a string in one write together with the headers, but needs a second write for a Buffer.
  // Latin-1 keeps every byte.
  if (isWhole) raw.end(body.toString('latin1'), 'latin1');
  // If the core's answer or the caller's connection fails, the other stream is ended as well.
  else pipeline(body, raw, () => {});
  return reply;
}

/** Returns the bytes of a body that arrived together with the headers, otherwise the stream. */
function unreadBody(raw: IncomingMessage): Buffer | IncomingMessage | undefined {
  if (raw.headers['transfer-encoding'] !== undefined) return raw;
  const length = Number(raw.headers['content-length'] ?? 0);
  if (length === 0) return undefined;
  return raw.readableLength === length ? raw.read() : raw;
}
