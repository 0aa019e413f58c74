import type { IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../lib/errors.ts';

/** Most bytes of the request target, and of all headers. */
export const MAX_HEAD_BYTES = 16 * 1024;

/**
 * Most bytes of a head that are parsed. More than are allowed, so that what is too large can mostly be told; and less than
 * the 64 KiB Node reads at a time, in the first of which the path begins.
 */
export const PARSED_HEAD_BYTES = 3 * MAX_HEAD_BYTES;

/** Colon, blank and line break. */
const BYTES_A_HEADER = 4;

const CONTINUE = /(?:^|\W)100-continue(?:$|\W)/i;

/** What is wrong with the head of a request, if anything. Its connection is closed then. */
export function headProblem(request: FastifyRequest, reply: FastifyReply): AppError | undefined {
  const problem = problemOfHead(request.raw);
  if (problem !== undefined) void reply.header('connection', 'close');
  return problem;
}

/** @throws {AppError} when the head is too large or lacks what HTTP asks for, whichever route it is for */
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
