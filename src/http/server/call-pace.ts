import type { FastifyReply, FastifyRequest } from 'fastify';
import { onGone } from './client-gone.ts';
import type { RoutePolicy } from './route-policy.ts';

interface CallPace {
  /** Records that an HTTP call has arrived. Returns a function to run when the call has ended. */
  call(kind: Exclude<RoutePolicy['work'], 'bulk'>): () => void;
}

/** Slows bulk work down. Calls without an API key do not count, because they are mostly probes. */
export const announceCalls =
  (pace: CallPace) =>
  (request: FastifyRequest, reply: FastifyReply): void => {
    const { key, work = 'quick' } = request.routeOptions.config;
    if (key !== 'open' && work !== 'bulk') onGone(reply, pace.call(work));
  };
