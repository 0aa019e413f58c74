import type { IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../lib/errors.ts';

/** Maximum size of a request's path and query, and of all its headers together, in bytes. */
export const MAX_HEAD_BYTES = 16 * 1024;

/**
 * More than the service allows, so that its error can mostly say which is too large. Less than the 64 KiB
 * that Node reads at a time, so that the beginning of the path is available.
 */
export const PARSED_HEAD_BYTES = 3 * MAX_HEAD_BYTES;

/** A header's colon, space and line break. */
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
