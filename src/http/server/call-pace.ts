import type { FastifyReply, FastifyRequest } from 'fastify';
import { onGone } from './client-gone.ts';
import type { RoutePolicy } from './route-policy.ts';

/** The part of src/imports/bulk-pace.ts that calls need. */
interface CallPace {
  /** A call has come. Returns what tells that it is over. */
  call(kind: Exclude<RoutePolicy['work'], 'bulk'>): () => void;
}

/** Announces calls to bulk work. Calls without a key, which are mostly probes, are not worth a pause. */
export const announceCalls =
  (pace: CallPace) =>
  (request: FastifyRequest, reply: FastifyReply): void => {
    const { key, work = 'quick' } = request.routeOptions.config;
    if (key !== 'open' && work !== 'bulk') onGone(reply, pace.call(work));
  };
