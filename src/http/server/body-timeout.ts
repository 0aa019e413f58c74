import type { IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { answerLateRequest } from './broken-request.ts';

/**
 * Limits the time for a body to arrive. Node's own limit is the same for all routes, streamed uploads too.
 */
export class BodyTimeout {
  readonly #timeoutMs: number;
  readonly #timers = new WeakMap<IncomingMessage, NodeJS.Timeout>();

  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs;
  }

  /** The timer runs even after an early answer (401, 404), so that such callers are disconnected, too. */
  readonly start = ({ raw }: FastifyRequest, reply: FastifyReply): void => {
    // Requests that tests inject have no connection and therefore no `complete`.
    if (raw.complete !== false || raw.destroyed) return;
    // Most bodies arrive in one packet with their headers: Node only has to notice their end.
    if (raw.readableLength === Number(raw.headers['content-length'])) return;
    const timer = setTimeout(() => {
      if (raw.complete) return;
      // The answer has begun. A timeout error after it would look like the answer to the next request.
      if (reply.raw.headersSent) raw.socket.destroy();
      else answerLateRequest(raw.socket);
    }, this.#timeoutMs).unref();
    this.#timers.set(raw, timer);
    raw.once('close', () => clearTimeout(timer));
  };

  /** If the route answers before the end of its streamed body, the timer runs for the rest. */
  lift(request: FastifyRequest, reply: FastifyReply): void {
    clearTimeout(this.#timers.get(request.raw));
    reply.raw.once('finish', () => this.start(request, reply));
  }
}
