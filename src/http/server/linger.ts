import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

const MAX_LINGER_MS = 5000;

/**
 * Ends the connection after the whole answer was sent. Reads the rest of the request: a socket that is closed
 * with unread bytes is reset, and the caller loses the unread part of the answer.
 * @param limitMs maximum milliseconds to wait for the caller, if less than `MAX_LINGER_MS`
 */
export function linger(socket: Socket, request: IncomingMessage, limitMs: number): void {
  const drop = () => {
    while (request.read() !== null);
  };
  // If the route stopped in the middle of the body, its listener for `readable` still exists, and `resume`
  // would have no effect.
  request.on('readable', drop);
  drop();
  socket.end();
  const timer = setTimeout(() => socket.destroy(), Math.min(limitMs, MAX_LINGER_MS));
  socket.once('close', () => clearTimeout(timer));
  request.once('end', () => destroyOnceSent(socket));
}

/** Destroys the connection once the whole answer was sent, even if the caller is still sending. */
export function destroyOnceSent(socket: Socket): void {
  socket.end();
  if (socket.writableFinished) socket.destroy();
  else socket.once('finish', () => socket.destroy());
}
