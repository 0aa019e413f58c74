import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../lib/errors.ts';
import { onGone } from './connections.ts';
import { logWhenDone } from './request-log.ts';

type RequestCheck = (request: FastifyRequest, reply: FastifyReply) => void;

/** Skips requests that are forwarded: the core checks them. */
export const exceptForwarded =
  (check: RequestCheck): RequestCheck =>
  (request, reply) => {
    if (!request.routeOptions.config.isForwarded) check(request, reply);
  };

/** Logs every request, and runs the checks in order before its body is read. */
export function checkRequests(app: FastifyInstance, checks: readonly RequestCheck[]): void {
  app.addHook('onRequest', async (request, reply) => logWhenDone(request, reply));
  // BodyTimeout needs the part of the body that came with the headers. Node has read it when this second hook runs.
  app.addHook('onRequest', async (request, reply) => {
    for (const check of checks) check(request, reply);
  });
}

/** Maximum size of a request's path and query, and of all its headers together, in bytes. */
export const MAX_HEAD_BYTES = 16 * 1024;

/**
 * Maximum size of a request's head for Node's parser. It is more than the service allows, so that the service's error
 * can mostly say which part is too large, and less than the 64 KiB that Node reads at a time, so that the beginning of
 * the path is available.
 */
export const PARSED_HEAD_BYTES = 3 * MAX_HEAD_BYTES;

/** Bytes of a header beside name and value: colon, space and line break. */
const BYTES_A_HEADER = 4;

const CONTINUE = /(?:^|\W)100-continue(?:$|\W)/i;

/** Returns the problem with the path or headers, if any. The connection is then closed after the answer. */
export function headProblem(request: FastifyRequest, reply: FastifyReply): AppError | undefined {
  const problem = problemOfHead(request.raw);
  if (problem !== undefined) void reply.header('connection', 'close');
  return problem;
}

/** @throws {AppError} if path or headers are too large, or lack what HTTP requires */
export function checkHead(request: FastifyRequest, reply: FastifyReply): void {
  const problem = headProblem(request, reply);
  if (problem !== undefined) throw problem;
}

function problemOfHead({
  url = '',
  headers,
  rawHeaders,
  httpVersion,
}: IncomingMessage): AppError | undefined {
  if (url.length > MAX_HEAD_BYTES) return uriTooLong();
  let bytes = (rawHeaders.length / 2) * BYTES_A_HEADER;
  for (const text of rawHeaders) bytes += text.length;
  if (bytes > MAX_HEAD_BYTES) return headersTooLarge();
  if (headers.host === undefined && httpVersion === '1.1') {
    return new AppError('REQUEST_MALFORMED', 'Request is malformed: it has no Host header');
  }
  if (headers.expect !== undefined && !CONTINUE.test(headers.expect)) {
    return new AppError('EXPECTATION_FAILED', 'Expectation failed: only 100-continue is understood');
  }
  return undefined;
}

export const uriTooLong = () =>
  new AppError('URI_TOO_LONG', `URI is too long: at most ${MAX_HEAD_BYTES} bytes`);

export const headersTooLarge = () =>
  new AppError('HEADERS_TOO_LARGE', `Request headers are too large: at most ${MAX_HEAD_BYTES} bytes in all`);

/** Supported versions of the Core Driver Interface, oldest first. */
export const CDI_VERSIONS = ['4.0', '5.0', '5.1', '5.2', '5.3', '5.4', '5.5', '5.6'] as const;

export type CdiVersion = (typeof CDI_VERSIONS)[number];

export const NEWEST_CDI_VERSION: CdiVersion = '5.6';

const isSupported = (version: string): version is CdiVersion =>
  CDI_VERSIONS.some((supported) => supported === version);

export function isAtLeast(version: CdiVersion, since: CdiVersion): boolean {
  return CDI_VERSIONS.indexOf(version) >= CDI_VERSIONS.indexOf(since);
}

/** @throws {AppError} if the header `cdi-version` is malformed or not supported */
export function checkCdiVersion(request: FastifyRequest): void {
  if (request.routeOptions.config.key !== 'open') request.cdiVersion = readCdiVersion(request);
}

/** @throws {AppError} CDI_VERSION_INVALID */
export function statedCdiVersion({ headers }: FastifyRequest): string | undefined {
  const header = headers['cdi-version'];
  if (header === undefined) return undefined;
  if (typeof header !== 'string' || !/^\d{1,4}\.\d{1,4}$/.test(header)) {
    throw new AppError(
      'CDI_VERSION_INVALID',
      'cdi-version header is invalid: expected a version such as 5.6',
    );
  }
  return header;
}

function readCdiVersion(request: FastifyRequest): CdiVersion {
  const header = statedCdiVersion(request);
  if (header === undefined) return NEWEST_CDI_VERSION;
  if (!isSupported(header)) {
    throw new AppError(
      'CDI_VERSION_UNSUPPORTED',
      `cdi-version ${header} not supported: this service speaks ${CDI_VERSIONS.join(', ')}`,
    );
  }
  return header;
}

interface CallPace {
  /** Records that an HTTP call has arrived. Returns a function to run when the call has ended. */
  call(kind: 'quick' | 'hashing'): () => void;
}

/**
 * Slows bulk work down while a call is answered. Calls without an API key do not count, because they are mostly probes.
 */
export const announceCalls =
  (pace: CallPace) =>
  (request: FastifyRequest, reply: FastifyReply): void => {
    const { key, work = 'quick' } = request.routeOptions.config;
    if (key !== 'open' && work !== 'bulk') onGone(reply, pace.call(work));
  };

export const PRIVATE_ANSWER = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };

/**
 * Forbids caching of an answer. Answers hold data of users, and caches do not take the `api-key` header into account:
 * they could give one client's answer to another. Pages that may be cached set their own headers.
 */
export function keepPrivate({ routeOptions }: FastifyRequest, reply: FastifyReply): void {
  void reply.headers(PRIVATE_ANSWER);
  // Shows that the answer comes from this service, and not from a proxy before it.
  if (routeOptions?.config.hook !== undefined)
    void reply.header('x-user-import-hook', routeOptions.config.hook);
}
