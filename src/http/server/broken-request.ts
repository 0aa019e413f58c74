import type { Socket } from 'node:net';
import { AppError } from '../../lib/errors.ts';
import type { Connections } from './connections.ts';
import { errorBody, STATUS_TEXT } from './error-handler.ts';
import { destroyOnceSent } from './linger.ts';
import { headersTooLarge, MAX_HEAD_BYTES, uriTooLong } from './request-head.ts';

/** A connection that closes at once could lose the answer, because unread input causes a TCP reset. */
const LINGER_MS = 1000;

/**
 * Answers input that is not a valid request: bytes that are not HTTP, or headers that did not arrive in time.
 * Earlier requests on the connection get their answers first. If the answer has already begun, only its route
 * can report the problem, so the request emits `malformed`.
 */
export function answerBrokenRequest(
  error: NodeJS.ErrnoException & { rawPacket?: Buffer },
  socket: Socket,
  connections: Connections,
): void {
  const problem = problemOf(error);
  const exchanges = connections.stopReading(socket, problem);
  if (exchanges === undefined) return;
  const { current, last } = exchanges;
  if (last?.response.writableFinished && !last.request.complete) {
    // The last request was answered, and the rest of its body is invalid. Each request gets one answer only.
    destroyOnceSent(socket);
  } else if (current === undefined || last === undefined || last.response.writableFinished) {
    end(socket, problem);
  } else if (last.request.complete) {
    last.response.once('finish', () => end(socket, problem));
  } else if (last !== current) {
    // The invalid bytes are in the body of the last request. The error is sent when its turn comes.
    last.request.once('malformed', () => end(socket, problem));
  } else if (!current.response.headersSent) {
    end(socket, problem);
  } else if (error.code === 'HPE_INVALID_EOF_STATE') {
    // The client ended the connection in the middle of the body, and reads no answer.
    socket.destroy();
  } else {
    current.response.once('finish', () => socket.destroySoon());
    current.request.emit('malformed', problem);
  }
}

/** Answers a request that did not arrive in time. The rest of the request is not handled. */
export function answerLateRequest(socket: Socket): void {
  end(socket, lateRequest());
  // The caller could otherwise keep the connection open and send for ever.
  destroyOnceSent(socket);
}

const lateRequest = () =>
  new AppError('REQUEST_TIMEOUT', 'Request did not arrive in time (request_timeout_ms)');

function problemOf({ code, rawPacket }: NodeJS.ErrnoException & { rawPacket?: Buffer }): AppError {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return lateRequest();
  if (code === 'HPE_HEADER_OVERFLOW') {
    return rawPacket !== undefined && beginsWithLongLine(rawPacket) ? uriTooLong() : headersTooLarge();
  }
  return new AppError('REQUEST_MALFORMED', 'Request is malformed or incomplete');
}

function beginsWithLongLine(packet: Buffer): boolean {
  const end = packet.indexOf('\r');
  return /^[A-Z]+ \S*$/.test(packet.toString('latin1', 0, 256)) && (end === -1 || end > MAX_HEAD_BYTES);
}

function end(socket: Socket, problem: AppError): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const body = errorBody(problem);
  socket.end(
    `HTTP/1.1 ${problem.status} ${STATUS_TEXT[problem.status]}\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
  // Node.js closes the connection after this time without traffic, if the caller does not close it before.
  socket.setTimeout(LINGER_MS);
}
