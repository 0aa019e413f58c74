import type { FastifyReply, FastifyRequest } from 'fastify';
import { onGone } from './client-gone.ts';
import type { RoutePolicy } from './route-policy.ts';

/** The part of src/imports/bulk-pace.ts for HTTP calls. */
interface CallPace {
  /** Records that an HTTP call has arrived. Returns a function to run when the call has ended. */
  call(kind: Exclude<RoutePolicy['work'], 'bulk'>): () => void;
}

/**
 * Slows bulk work down while HTTP calls are answered. Calls without an API key do not count: they are mostly
 * probes.
 */
export const announceCalls =
  (pace: CallPace) =>
  (request: FastifyRequest, reply: FastifyReply): void => {
    const { key, work = 'quick' } = request.routeOptions.config;
    if (key !== 'open' && work !== 'bulk') onGone(reply, pace.call(work));
  };
