import type { Right } from '../../config/api-keys.ts';
import type { ErrorCode } from '../../lib/errors.ts';

/** Requirements of a route on its callers and on this service. routes/index.ts has them for each endpoint. */
export interface RoutePolicy {
  /** Level of the operation. `app`: concerns the whole app, and is refused under the path of another tenant. */
  level: 'app' | 'tenant';
  /** Right that the caller's key must have. */
  key: NeededKey;
  body: BodyKind;
  /** Kind of work. Bulk work slows down beside calls of the other kinds (docs/adr/0015-bulk-pace.md). */
  work: 'quick' | 'hashing' | 'bulk';
  /** Whether the route needs the database. `no database`: it also answers while the database is unreachable. */
  storage: 'database' | 'no database';
}

/**
 * Right that the caller's key must have, or one of:
 * - `any`: any key.
 * - `open`: neither a key nor a CDI version is needed.
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
  /** Routes outside of routes/index.ts may omit the defaults: a key with the right `manage`, a database, quick work. */
  interface FastifyContextConfig extends Partial<Omit<RoutePolicy, 'key'>> {
    /** Right that the key must have. A function if the right depends on the request, as for forwarded ones. */
    key?: NeededKey | ((request: FastifyRequest) => NeededKey);
    /** Error codes particular to the route. Error codes that follow from its policy are in openapi/route-errors.ts. */
    errors?: readonly ErrorCode[];
    /** Whether the route is omitted from the interface description, because a described route does the same. */
    undescribed?: boolean;
    /** Whether requests are forwarded to the SuperTokens core, which checks tenant and version itself. */
    isForwarded?: boolean;
  }
}
