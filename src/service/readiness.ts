import type { Readiness } from '../http/context.ts';

/** Time for which the result of a probe is reused, in milliseconds. Load balancers probe about once a second. */
const REUSE_MS = 1000;

export interface ReadinessDeps {
  /** Sends the probe's statement. Rejects if the database does not answer. */
  ping(): Promise<void>;
  /** Returns whether the service is stopping. */
  isDraining(): boolean;
  /** A clock that never goes back, in milliseconds. */
  now?(): number;
}

/**
 * Returns the readiness probe. Anybody may call it without a key, so all callers share one statement: at most one is
 * running, and its result is reused for a second, whether it succeeded or failed. The state of stopping is never
 * cached.
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
