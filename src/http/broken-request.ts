import type { Socket } from 'node:net';
import { AppError } from '../errors.ts';
import { errorBody } from './error-handler.ts';

/** Answers what never became a request: bytes that are not HTTP, or a head that did not arrive in time. */
export function answerBrokenRequest(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') answerLateRequest(socket);
  else end(socket, new AppError('REQUEST_MALFORMED', 'Request is malformed or incomplete'));
}

/** Answers a request that did not arrive in time, and closes the connection: the rest of it is not to be carried out. */
export function answerLateRequest(socket: Socket): void {
  end(socket, new AppError('REQUEST_TIMEOUT', 'Request did not arrive in time (request_timeout_ms)'));
  // The caller might keep its side open, and go on sending, for ever.
  socket.destroySoon();
}

function end(socket: Socket, problem: AppError): void {
  if (!socket.writable) return;
  const body = errorBody(problem);
  const reason = problem.status === 408 ? 'Request Timeout' : 'Bad Request';
  socket.end(
    `HTTP/1.1 ${problem.status} ${reason}\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}
