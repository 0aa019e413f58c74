import type { Readiness } from '../http/context.ts';

/** Time for which a probe's result is reused. Load balancers probe about once a second. */
const REUSE_MS = 1000;

export interface ReadinessDeps {
  /** Runs the query of the readiness probe. Rejects if the database does not answer. */
  ping(): Promise<void>;
  /** Aborted once the service is stopping. */
  draining: AbortSignal;
  /** Returns the milliseconds of a clock that never goes back. */
  now?(): number;
}

/**
 * Returns the readiness probe. Anybody may call it without an API key, so all callers share one query of the
 * database. Whether the service is stopping is never cached.
 */
export function createReadiness({ ping, draining, now = () => performance.now() }: ReadinessDeps): Readiness {
  let probe: ReturnType<Readiness> | undefined;
  let expiresAt = Number.POSITIVE_INFINITY;
  const startProbe = (): ReturnType<Readiness> => {
    expiresAt = Number.POSITIVE_INFINITY;
    const result = ping().then(
      () => undefined,
      () => 'database' as const,
    );
    return result.finally(() => {
      expiresAt = now() + REUSE_MS;
    });
  };
  return async () => {
    if (draining.aborted) return 'draining';
    if (probe === undefined || now() >= expiresAt) probe = startProbe();
    const result = await probe;
    return draining.aborted ? 'draining' : result;
  };
}
