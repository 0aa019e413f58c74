import type { FastifyRequest } from 'fastify';
import type { Counter, Histogram, Metrics } from '../../lib/metrics.ts';

/** Bounds of durations, in seconds. Most answers take milliseconds; a sign-in takes as long as verifying its hash. */
const BOUNDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** No label contains text that a caller sent, so the number of label values is bounded. */
export class RequestMeter {
  readonly #durations: Histogram<'method' | 'route' | 'status'>;
  readonly #hashes: Counter<'algorithm'>;

  constructor(metrics: Metrics) {
    this.#durations = metrics.histogram(
      'user_import_http_request_duration_seconds',
      'Time from the head of a request to the end of its answer, by route and status (499: the caller has disconnected).',
      ['method', 'route', 'status'],
      BOUNDS,
    );
    this.#hashes = metrics.counter(
      'user_import_hashes_total',
      'Password hashes that requests imported or verified, by algorithm.',
      ['algorithm'],
    );
  }

  add(request: FastifyRequest, status: number, ms: number): void {
    const { is404, routeOptions, method, hashAlgorithm } = request;
    const { url = 'unknown', config } = routeOptions;
    const labels = is404
      ? { method: 'any', route: 'unknown' }
      : config.isForwarded === true
        ? { method: 'any', route: 'forwarded' }
        : { method, route: url };
    this.#durations.observe({ ...labels, status: String(status) }, ms / 1000);
    if (hashAlgorithm !== undefined) this.#hashes.inc({ algorithm: hashAlgorithm });
  }
}
