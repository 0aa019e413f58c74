import type { FastifyReply } from 'fastify';

/** Thrown where nobody is left to answer. */
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

/** Calls back if the caller leaves before it was answered. */
export function onLeft(reply: FastifyReply, callback: (reason: ClientGone) => void): void {
  onGone(reply, () => {
    if (!reply.raw.writableFinished) callback(new ClientGone());
  });
}

/** Returns a signal that aborts when the caller leaves before it was answered: what it waits for is then given up. */
export function clientGone(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  onLeft(reply, (reason) => controller.abort(reason));
  return controller.signal;
}
