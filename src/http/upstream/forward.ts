import type { FastifyReply, FastifyRequest } from 'fastify';
import { type JsonObject, parseJsonObject } from '../../lib/json/json-object.ts';
import type {
  Answer,
  CoreConnection,
  CoreRequest,
  WholeAnswer as Whole,
} from '../../upstream/core-connection.ts';
import { clientGone, onGone } from '../server/connections.ts';
import { PRIVATE_ANSWER } from '../server/request-checks.ts';

/** Headers that concern one connection only (RFC 9110, 7.6.1), or that Node has answered (`expect`). */
const OF_CONNECTION = new Set([
  'connection',
  'expect',
  'http2-settings',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Host and API key of this service, which are replaced by those of the core, and the length of the body, which undici writes. */
const OF_CALLER = new Set(['host', 'api-key', 'authorization', 'content-length']);

/** Matches an access token of the core's SAML. It has a dot, which no API key of this service has. */
const ACCESS_TOKEN = /^Bearer [^\s.]+\.[^\s.]+$/;

/**
 * Returns the caller's headers that the core gets, unchanged, names and values in turn.
 * @param without name of a further header to omit, in lower case
 * @param readsAuthorization whether the core gets an access token from `Authorization`
 */
function requestHeaders(
  rawHeaders: readonly string[],
  connection: string | undefined,
  { without, readsAuthorization = false }: { without?: string; readsAuthorization?: boolean } = {},
): string[] {
  const listed = listedIn(connection);
  const kept: string[] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const [name = '', value = ''] = [rawHeaders[at], rawHeaders[at + 1]];
    const lower = name.toLowerCase();
    const isToken = readsAuthorization && lower === 'authorization' && ACCESS_TOKEN.test(value);
    if (OF_CONNECTION.has(lower) || (OF_CALLER.has(lower) && !isToken)) continue;
    if (listed.has(lower) || lower === without) continue;
    kept.push(name, value);
  }
  return kept;
}

/**
 * Headers that forbid caching. An answer of the core gets them unless it has its own, as answers with public keys do.
 */
const PRIVATE = Object.entries(PRIVATE_ANSWER);

/** Returns the headers of the core's answer that the caller gets, names and values in turn. */
function answerHeaders(headers: Readonly<Record<string, string | string[] | undefined>>): string[] {
  const listed = listedIn([headers.connection].flat().join());
  const kept: string[] = [];
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || OF_CONNECTION.has(name) || listed.has(name)) continue;
    if (typeof value === 'string') kept.push(name, value);
    else for (const one of value) kept.push(name, one);
  }
  for (const [name, value] of PRIVATE) if (headers[name] === undefined) kept.push(name, value);
  return kept;
}

const NONE: ReadonlySet<string> = new Set();

/**
 * Headers that this service reads as well. A `Connection` header cannot exclude them; otherwise, the core could
 * understand a request differently.
 */
const READ_HERE: ReadonlySet<string> = new Set(['content-length', 'content-type', 'cdi-version', 'rid']);

/**
 * Returns the header names listed in a `Connection` header, which must not be forwarded. Names of `READ_HERE` are never
 * among them. Without `content-length`, for example, the core would read a body as another request.
 */
function listedIn(connection = ''): ReadonlySet<string> {
  // Fast path for the values of `Connection` that most callers and cores send.
  if (connection === '' || connection === 'keep-alive' || connection === 'close') return NONE;
  const names = connection
    .toLowerCase()
    .split(',')
    .map((name) => name.trim());
  return new Set(names.filter((name) => !READ_HERE.has(name)));
}

export interface WholeAnswer extends Whole {
  /** Undefined if the body is not a JSON object. */
  json: JsonObject | undefined;
}

/**
 * Sends the caller's request to the SuperTokens core, with path, query, headers and body unchanged. The core is
 * asked not to compress its answer, so that this service can read it.
 * @throws {AppError} CORE_UNAVAILABLE
 */
export async function askCore(
  core: CoreConnection,
  request: FastifyRequest,
  reply: FastifyReply,
  body: Buffer,
): Promise<WholeAnswer> {
  const answer = await core.send(coreRequest(request, reply, body, { without: 'accept-encoding' }));
  return { ...answer, json: parseJsonObject(answer.body.toString('utf8')) };
}

/**
 * Forwards the caller's request to the core, and the core's answer to the caller.
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
    signal: clientGone(reply),
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
