import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/** Longest that a caller may go on sending behind the last answer, in ms. */
const MAX_LINGER_MS = 5000;

/**
 * Ends the connection once all of the answer is sent, and destroys it once the caller has ended it, too. What the caller still sends of the
 * request's body is read and dropped. A socket that is closed with unread bytes is reset, and the caller then loses what it has not read yet
 * of the answer.
 *
 * @param limitMs longest that the caller may take, where that is less than `MAX_LINGER_MS`
 */
export function linger(socket: Socket, request: IncomingMessage, limitMs: number): void {
  const drop = () => {
    while (request.read() !== null);
  };
  // The route may have stopped in the middle of the body: `resume` does nothing then, as its listener for `readable` is still there.
  request.on('readable', drop);
  drop();
  socket.end();
  const timer = setTimeout(() => socket.destroy(), Math.min(limitMs, MAX_LINGER_MS));
  socket.once('close', () => clearTimeout(timer));
  request.once('end', () => destroyOnceSent(socket));
}

/** Destroys the connection once all of the answer is sent, whatever the caller still sends. */
export function destroyOnceSent(socket: Socket): void {
  socket.end();
  if (socket.writableFinished) socket.destroy();
  else socket.once('finish', () => socket.destroy());
}
