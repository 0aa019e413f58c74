import { randomUUID } from 'node:crypto';
import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify';
import type { AppError, ErrorCode } from '../../lib/errors.ts';
import type { Counter, Histogram, Metrics } from '../../lib/metrics.ts';

/** Status that is logged if the caller disconnected before the answer. nginx logs the same. */
const CLIENT_CLOSED_REQUEST = 499;

/** Returns the id of a request, which all of its log lines have. */
export const newRequestId = (): string => randomUUID();

/**
 * Logs a request once it is answered or its caller has disconnected, which Fastify's onResponse does not report. The
 * line never contains a body, a query string or a header, because each may hold a secret.
 */
export function logWhenDone(request: FastifyRequest, reply: FastifyReply): void {
  let isLogged = false;
  const log = (status: number) => {
    if (isLogged) return;
    isLogged = true;
    request.server.bodies.release(request);
    request.server.meter.add(request, status, reply.elapsedTime);
    const route = request.is404 ? undefined : request.routeOptions.url;
    // Health probes arrive every few seconds, so they are logged at a lower level.
    const level = route?.startsWith('/health/') ? 'debug' : 'info';
    request.log[level](
      {
        method: request.method,
        route,
        status,
        ms: Math.round(reply.elapsedTime * 10) / 10,
        hashAlgorithm: request.hashAlgorithm,
      },
      'request',
    );
  };
  reply.raw.once('finish', () => log(reply.statusCode)).once('close', () => log(CLIENT_CLOSED_REQUEST));
}

/** Bounds of durations, in seconds. Most answers take milliseconds; a sign-in takes as long as verifying its hash. */
const DURATION_BOUNDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Counts requests and hashes for the metrics. No label contains text that a caller sent, so the number of label values is bounded. */
export class RequestMeter {
  readonly #durations: Histogram<'method' | 'route' | 'status'>;
  readonly #hashes: Counter<'algorithm'>;

  constructor(metrics: Metrics) {
    this.#durations = metrics.histogram(
      'user_import_http_request_duration_seconds',
      'Time from the head of a request to the end of its answer, by route and status (499: the caller has disconnected).',
      ['method', 'route', 'status'],
      DURATION_BOUNDS,
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

/** Time in which further problems of a kind are only counted. */
const TROUBLE_INTERVAL_MS = 1000;

/**
 * Logs problems that affect many requests at once (overload, an unreachable database). The first of a kind is
 * logged immediately, further ones as a count once per second, because a line for each would add load at the
 * worst time.
 */
export class TroubleLog {
  readonly #logger: FastifyBaseLogger;
  /**
   * Number of problems that are not logged yet, by kind. A kind is removed after a second in which it did not occur.
   */
  readonly #repeats = new Map<ErrorCode, number>();
  #timer: NodeJS.Timeout | undefined;

  constructor(logger: FastifyBaseLogger) {
    this.#logger = logger;
  }

  add(error: AppError): void {
    const { code, message } = error;
    const repeats = this.#repeats.get(code);
    this.#repeats.set(code, repeats === undefined ? 0 : repeats + 1);
    if (repeats === undefined) this.#logger.error({ err: error, code }, message);
    this.#timer ??= setTimeout(() => this.flush(), TROUBLE_INTERVAL_MS).unref();
  }

  flush(): void {
    clearTimeout(this.#timer);
    for (const [code, count] of this.#repeats) {
      if (count === 0) this.#repeats.delete(code);
      else this.#repeats.set(code, 0);
      if (count > 0) this.#logger.error({ code, count }, 'more requests had the same problem');
    }
    const isQuiet = this.#repeats.size === 0;
    this.#timer = isQuiet ? undefined : setTimeout(() => this.flush(), TROUBLE_INTERVAL_MS).unref();
  }
}
