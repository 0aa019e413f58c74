import type { Right } from '../../config/api-keys.ts';
import type { ErrorCode } from '../../lib/errors.ts';

/** Requirements of a route on its callers and on this service. routes/index.ts has them for each endpoint. */
export interface RoutePolicy {
  /** `app`: an operation on the whole app, which is refused under a path that names another tenant. */
  level: 'app' | 'tenant';
  /** Right that the caller's key must have. */
  key: NeededKey;
  body: BodyKind;
  /** Kind of work. Bulk work slows down beside calls of the other kinds (docs/adr/0015-bulk-pace.md). */
  work: 'quick' | 'hashing' | 'bulk';
  /** `no database`: answered while the database is away, too. */
  storage: 'database' | 'no database';
}

/**
 * A right, or one of:
 * - `any`: a key, whatever its rights.
 * - `open`: no key and no CDI version are asked for.
 */
export type NeededKey = Right | 'any' | 'open';

/**
 * - `none`: no body is read.
 * - `json`: one JSON object, at most `body_limit_bytes` unless the route's bounds say otherwise.
 * - `optional json`: the same, or nothing at all, with `Content-Type: application/json` or without.
 * - `json with users`: one JSON object that is a user payload, or has some in `users`. The numbers of their metadata
 *   are kept as they were written.
 * - `ndjson stream`: `application/x-ndjson`, read as it comes: `request.body` is a Readable, and neither
 *   `body_limit_bytes` nor `request_timeout_ms` holds for the whole of it.
 * - `any`: a body of any type, which is thrown away.
 */
export type BodyKind = 'none' | 'json' | 'optional json' | 'json with users' | 'ndjson stream' | 'any';

declare module 'fastify' {
  /** Routes beside the policy page leave out what is usual: a key with the right `manage`, a database, quick work. */
  interface FastifyContextConfig extends Partial<Omit<RoutePolicy, 'key'>> {
    /** A function if the right depends on the request, as for forwarded ones. */
    key?: NeededKey | ((request: FastifyRequest) => NeededKey);
    /** The error codes particular to the route; those of its policy are in openapi/route-errors.ts. */
    errors?: readonly ErrorCode[];
    /** Left out of the interface description, as a route that is there does the same. */
    undescribed?: boolean;
    /** Requests go to the SuperTokens core, which decides about tenant and version. */
    isForwarded?: boolean;
  }
}
