import type { Readiness } from '../http/context.ts';

/** How long the result of a probe is reused, in ms. Balancers probe about once a second. */
const REUSE_MS = 1000;

export interface ReadinessDeps {
  /** Sends the probe's statement. Rejects when the database does not answer. */
  ping(): Promise<void>;
  /** Returns whether a stop has begun. */
  isDraining(): boolean;
  /** A clock that never goes back, in ms. */
  now?(): number;
}

/**
 * Returns the readiness probe. Anyone may call it without a key, so all callers share one statement: at most one is under
 * way, and its result is reused for a second, a failure no longer than a success. That a stop has begun is never cached.
 */
export function createReadiness({
  ping,
  isDraining,
  now = () => performance.now(),
}: ReadinessDeps): Readiness {
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
    if (isDraining()) return 'draining';
    if (probe === undefined || now() >= expiresAt) probe = startProbe();
    const result = await probe;
    return isDraining() ? 'draining' : result;
  };
}
