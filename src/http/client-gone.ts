import type { FastifyReply } from 'fastify';

/** Nobody is left to answer. */
export class ClientGone extends Error {
  constructor() {
    super('the client closed the connection before it was answered');
    this.name = 'ClientGone';
  }
}

/**
 * Calls back once, when the request has been answered or its connection is gone. The response alone does not tell: one
 * that waits behind another (pipelining) has no socket yet, and is never closed when that goes.
 */
export function onGone({ raw, request }: FastifyReply, callback: () => void): void {
  const { socket } = request.raw;
  const gone = () => {
    raw.off('close', gone);
    socket.off('close', gone);
    callback();
  };
  if (socket.destroyed) {
    callback();
    return;
  }
  // Node warns of more than ten, and as many requests may wait on one connection.
  socket.setMaxListeners(0);
  raw.once('close', gone);
  socket.once('close', gone);
}

/** Aborts when the caller closes the connection before it was answered, so that its place in a queue falls free. */
export function clientGone(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  onGone(reply, () => {
    if (!reply.raw.writableFinished) controller.abort(new ClientGone());
  });
  return controller.signal;
}
