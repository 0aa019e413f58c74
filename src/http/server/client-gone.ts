import type { FastifyReply } from 'fastify';

export class ClientGone extends Error {
  constructor() {
    super('the client closed the connection before it was answered');
    this.name = 'ClientGone';
  }
}

/** Calls back once, when the request was answered or its connection has ended. */
export function onGone({ raw }: FastifyReply, callback: () => void): void {
  if (raw.destroyed) callback();
  else raw.once('close', callback);
}

export function onLeft(reply: FastifyReply, callback: (reason: ClientGone) => void): void {
  onGone(reply, () => {
    if (!reply.raw.writableFinished) callback(new ClientGone());
  });
}

/** Returns a signal that aborts if the caller disconnects before the answer is complete. */
export function clientGone(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  onLeft(reply, (reason) => controller.abort(reason));
  return controller.signal;
}
