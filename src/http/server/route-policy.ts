import type { Right } from '../../config/api-keys.ts';
import type { ErrorCode } from '../../lib/errors.ts';

/** Requirements of a route on its callers and on this service. */
export interface RoutePolicy {
  /** An `app` operation is refused under the path of any tenant but `public`. */
  level: 'app' | 'tenant';
  key: NeededKey;
  body: BodyKind;
  /** Bulk work slows down while calls of the other kinds are answered (docs/adr/0015-bulk-pace.md). */
  work: 'quick' | 'hashing' | 'bulk';
  /** `no database`: the route also answers while the database is unreachable. */
  storage: 'database' | 'no database';
}

/** `any`: any API key. `open`: neither an API key nor a CDI version is needed. */
export type NeededKey = Right | 'any' | 'open';

/**
 * Kinds of request bodies:
 * - `none`: no body is read.
 * - `json`: one JSON object, at most `body_limit_bytes` unless the route has a larger limit.
 * - `optional json`: as `json`, or no body, with `Content-Type: application/json` or without.
 * - `json with users`: one JSON object that is a user, or has users in `users`. The numbers in users'
 *   metadata are kept as they were written.
 * - `ndjson stream`: `application/x-ndjson`, read as it arrives: `request.body` is a Readable. The limits
 *   `body_limit_bytes` and `request_timeout_ms` do not apply to the whole body.
 * - `any`: a body of any type, which is read and discarded.
 */
export type BodyKind = 'none' | 'json' | 'optional json' | 'json with users' | 'ndjson stream' | 'any';

declare module 'fastify' {
  /**
   * Outside the table in routes/index.ts, a route without a policy needs the right `manage` and the database.
   */
  interface FastifyContextConfig extends Partial<Omit<RoutePolicy, 'key'>> {
    /** A function if the right depends on the request, as for forwarded calls. */
    key?: NeededKey | ((request: FastifyRequest) => NeededKey);
    /** Further error codes of the route. openapi/route-errors.ts adds those that follow from its policy. */
    errors?: readonly ErrorCode[];
    /** Whether the interface description omits the route, because it has another route that does the same. */
    undescribed?: boolean;
    /** Whether the SuperTokens core answers. It then checks the tenant and the CDI version. */
    isForwarded?: boolean;
  }
}
