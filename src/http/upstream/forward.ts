import type { FastifyReply, FastifyRequest } from 'fastify';
import { type JsonObject, parseJsonObject } from '../../lib/json/json-object.ts';
import type { Answer } from '../../upstream/answer-reader.ts';
import type { CoreConnection, CoreRequest, WholeAnswer as Whole } from '../../upstream/core-connection.ts';
import { onGone, onLeft } from '../server/connections.ts';
import { answerHeaders, requestHeaders } from './forwarded-headers.ts';

export interface WholeAnswer extends Whole {
  /** Undefined if the body is not a JSON object. */
  json: JsonObject | undefined;
}

/**
 * Sends the caller's request to the SuperTokens core, with path, query, headers and body unchanged. The core is
 * asked not to compress its answer, so that this service can read it.
 * @throws {AppError} CORE_UNAVAILABLE
 */
export const askCore = (
  core: CoreConnection,
  request: FastifyRequest,
  reply: FastifyReply,
  body: Buffer,
): Promise<Whole> => core.send(coreRequest(request, reply, body, { without: 'accept-encoding' }));

export async function wholeAnswer(answer: Whole): Promise<WholeAnswer> {
  return { ...answer, json: parseJsonObject(answer.body.toString('utf8')) };
}

/**
 * Answers with what the core answers to the caller's request.
 * @param readsAuthorization whether the header `Authorization` is for the core, and no key of this service
 * @throws {AppError} CORE_UNAVAILABLE, OVERLOADED
 */
export async function forward(
  core: CoreConnection,
  request: FastifyRequest,
  reply: FastifyReply,
  readsAuthorization: boolean,
): Promise<FastifyReply> {
  return passOn(reply, await core.forward(coreRequest(request, reply, request.body, { readsAuthorization })));
}

function coreRequest(
  request: FastifyRequest,
  reply: FastifyReply,
  body: unknown,
  headers: Parameters<typeof requestHeaders>[2],
): CoreRequest {
  const { raw, originalUrl, method } = request;
  // A body of GET or HEAD has no meaning (RFC 9110, 9.3), so this service never waits for it.
  const isBodied = method !== 'GET' && method !== 'HEAD';
  return {
    method,
    path: originalUrl,
    headers: requestHeaders(raw.rawHeaders, raw.headers.connection, headers),
    body: isBodied && Buffer.isBuffer(body) && body.length > 0 ? body : undefined,
    withKey: request.apiKeyName !== undefined,
    onAbortable: (abort) => onLeft(reply, abort),
  };
}

/**
 * Sends the core's answer to the caller as it arrives. Bypasses Fastify, whose hooks and headers are for
 * answers of this service.
 */
export function passOn(reply: FastifyReply, { status, headers, body }: Answer): FastifyReply {
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
  else {
    // If the core's answer or the caller's connection fails, the other stream is ended as well.
    body.once('error', () => raw.destroy()).pipe(raw);
    onGone(reply, () => body.destroy());
  }
  return reply;
}
