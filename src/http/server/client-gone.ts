import type { FastifyReply } from 'fastify';

/** Nobody is left to answer. */
export class ClientGone extends Error {
  constructor() {
    super('the client closed the connection before it was answered');
    this.name = 'ClientGone';
  }
}

/** Calls back once, when the request has been answered or its connection is gone. */
export function onGone({ raw }: FastifyReply, callback: () => void): void {
  if (raw.destroyed) callback();
  else raw.once('close', callback);
}

/** Aborts when the caller closes the connection before it was answered, so that its place in a queue falls free. */
export function clientGone(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  onGone(reply, () => {
    if (!reply.raw.writableFinished) controller.abort(new ClientGone());
  });
  return controller.signal;
}
