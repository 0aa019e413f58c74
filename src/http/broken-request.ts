import type { Socket } from 'node:net';
import { AppError } from '../errors.ts';
import { errorBody } from './error-handler.ts';

/** Answers what never became a request: bytes that are not HTTP, or that did not arrive in time. */
export function answerBrokenRequest(error: NodeJS.ErrnoException, socket: Socket): void {
  if (!socket.writable) return;
  const problem =
    error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
      ? new AppError('REQUEST_TIMEOUT', 'Request did not arrive in time (request_timeout_ms)')
      : new AppError('REQUEST_MALFORMED', 'Request is malformed or incomplete');
  const body = errorBody(problem);
  const reason = problem.status === 408 ? 'Request Timeout' : 'Bad Request';
  socket.end(
    `HTTP/1.1 ${problem.status} ${reason}\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}
