import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../lib/errors.ts';
import { ClientGone } from './client-gone.ts';
import { requestProblem } from './request-problem.ts';

/** Text of each HTTP status that an error answer may have. */
export const STATUS_TEXT: Record<number, string> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  408: 'Request Timeout',
  409: 'Conflict',
  413: 'Payload Too Large',
  414: 'URI Too Long',
  415: 'Unsupported Media Type',
  417: 'Expectation Failed',
  431: 'Request Header Fields Too Large',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
};

/** Value of the header `retry-after` of 503 answers, in seconds. */
const RETRY_AFTER = '1';

/**
 * Sends an error answer. Input that is not a valid HTTP request has no reply object; broken-request.ts
 * answers it.
 */
export function sendError(request: FastifyRequest, reply: FastifyReply, error: FastifyError | Error): void {
  if (error instanceof ClientGone || isCutOff(error)) {
    // The caller has disconnected, so nobody receives this answer. It only ends the request for Fastify.
    void reply.send();
    return;
  }
  const answer = toAppError(error, request);
  logFailure(request, answer, error);
  if (answer.status === 503) void reply.header('retry-after', RETRY_AFTER);
  void reply
    .code(answer.status)
    .type('application/json; charset=utf-8')
    // Errors bypass the serializer of the route, so that they look alike whatever schema the route has for
    // the status.
    .serializer((body) => body as string)
    .send(errorBody(answer));
}

/** Logs an error unless the caller caused it. Errors that a stop of the service causes are not logged. */
export function logFailure(request: FastifyRequest, answer: AppError, error: Error): void {
  if (answer.code === 'SHUTTING_DOWN') return;
  if (answer.status === 503) request.server.troubles.add(answer);
  else if (answer.status >= 500) request.log.error({ err: error }, answer.message);
}

/** Returns the body of an error answer, as JSON text. */
export function errorBody(error: AppError): string {
  return JSON.stringify({
    statusCode: error.status,
    code: error.code,
    error: STATUS_TEXT[error.status] ?? 'Error',
    message: error.message,
    ...error.details,
  });
}

/**
 * Returns whether the caller disconnected while its body was read. The error cannot come from a lost database
 * connection, which is an AppError.
 */
const isCutOff = (error: Error) => 'code' in error && error.code === 'ECONNRESET';

/** Returns the error to show to the caller in place of the thrown error. */
export function toAppError(error: FastifyError | Error, request: FastifyRequest): AppError {
  if (error instanceof AppError) return error;
  return (
    requestProblem(error as FastifyError, request) ??
    new AppError('INTERNAL', `Internal error: see the log for request ${request.id}`, { cause: error })
  );
}
