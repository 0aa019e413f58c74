import type { IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { answerLateRequest } from './broken-request.ts';

/**
 * Bounds how long the body of a request may take to arrive, once its head is there. Node's own limit for whole requests
 * knows no routes, and would cut off an upload that is read as it comes.
 */
export class BodyTimeout {
  readonly #timeoutMs: number;
  readonly #timers = new WeakMap<IncomingMessage, NodeJS.Timeout>();

  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs;
  }

  /**
   * Starts the time of a body that has not come whole with its head. It runs whatever becomes of the request: a caller who
   * is answered before the end of the body (401, 404) is cut off, too.
   */
  readonly start = ({ raw }: FastifyRequest, reply: FastifyReply): void => {
    // Requests that tests inject lack this property: they have no connection to cut off.
    if (raw.complete !== false || raw.destroyed) return;
    // Most bodies come in one packet with the head: all is here, and Node has only to notice the end of it.
    if (raw.readableLength === Number(raw.headers['content-length'])) return;
    const timer = setTimeout(() => {
      if (raw.complete) return;
      // The answer is on its way: a second one would be taken for the answer to the next request.
      if (reply.raw.headersSent) raw.socket.destroy();
      else answerLateRequest(raw.socket);
    }, this.#timeoutMs).unref();
    this.#timers.set(raw, timer);
    raw.once('close', () => clearTimeout(timer));
  };

  /** Stops the time of a body that its route reads as a stream. Once the route has answered, the rest has the limit again. */
  lift(request: FastifyRequest, reply: FastifyReply): void {
    clearTimeout(this.#timers.get(request.raw));
    reply.raw.once('finish', () => this.start(request, reply));
  }
}
