import { hash, timingSafeEqual } from 'node:crypto';
import type { FastifyContextConfig, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import type { ApiKey, Right } from '../../config/api-keys.ts';
import type { Hook } from '../../hooks/moves.ts';
import { AppError, type ErrorCode } from '../../lib/errors.ts';
import { canonicalPath } from './tenant-paths.ts';

/**
 * Requirements of a route on its callers and on this service. `level`, `key` and `body` decide who may call it and with
 * what, so they have no defaults.
 */
export interface RoutePolicy {
  /** An `app` operation is refused under the path of any tenant but `public`. */
  level: 'app' | 'tenant';
  key: NeededKey;
  body: BodyKind;
  /**
   * Kind of work; unset for quick calls. Bulk work slows down while calls of the other kinds are answered
   * (docs/adr/0015-bulk-pace.md).
   */
  work?: 'hashing' | 'bulk';
  /** Set if the route also answers while the database is unreachable. */
  storage?: 'no database';
  /**
   * Set if the route is a hook, by which an identity provider asks about passwords. The setting `password_hooks`
   * decides whether it is served.
   */
  hook?: Hook;
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

/**
 * Answer of each hook if it cannot say whether the password is right (a fault): the error as JSON, status 424 without a
 * body, or nothing, because the connection is closed.
 */
export const FAULTS: Record<Hook, 'json' | 'no body' | 'closed connection'> = {
  hash: 'json',
  rehearse: 'json',
  verify: 'json',
  kratos: 'no body',
  keycloak: 'closed connection',
  okta: 'no body',
};

/** Status of a fault without a body. Providers take it neither for a wrong password nor for a reason to repeat the call. */
export const FAULT_STATUS = 424;

declare module 'fastify' {
  /**
   * Outside the table in routes/index.ts, a route without a policy needs the right `manage` and the database.
   */
  interface FastifyContextConfig extends Partial<Omit<RoutePolicy, 'key'>> {
    /** A function if the right depends on the request, as for forwarded calls. */
    key?: NeededKey | ((request: FastifyRequest) => NeededKey);
    /** Further error codes of the route. openapi/openapi.ts adds those that follow from its policy. */
    errors?: readonly ErrorCode[];
    /** Whether the interface description omits the route, because it has another route that does the same. */
    undescribed?: boolean;
    /** Whether the SuperTokens core answers. It then checks the tenant and the CDI version. */
    isForwarded?: boolean;
  }
}

/** Name of the path parameter that may be any text. */
const ANY_TEXT = 'login';

/** Paths of all routes, fixed or with parameters (`/imports/:importId`), and the methods of each. */
export class RouteTable {
  readonly #parameter: string;
  readonly #isParameter: RegExp;
  readonly #routes = new Map<string, { pattern: RegExp; methods: Set<string>; isOpen: boolean }>();

  /** @param parameter pattern of all path parameters but `login`; a path with another parameter is unknown */
  constructor(parameter: string) {
    this.#parameter = parameter;
    this.#isParameter = new RegExp(`^${parameter}$`);
  }

  /** Listener for Fastify's hook onRoute. Each path parameter must be a whole segment. */
  readonly add = ({ url, method, config }: RouteOptions): void => {
    const path = canonicalPath(url);
    const route = this.#routes.get(path) ?? {
      pattern: this.#patternOf(path),
      methods: new Set(),
      isOpen: false,
    };
    if (config?.key === 'open') route.isOpen = true;
    for (const one of [method].flat()) route.methods.add(one);
    this.#routes.set(path, route);
  };

  /** Returns whether a route has this path, with any HTTP method. A query string is ignored. */
  has(url: string): boolean {
    const path = pathOf(url);
    return (this.#routes.has(path) && !/[:*]/.test(path)) || this.#find(path).length > 0;
  }

  /** Returns whether a route with this path needs no API key, with at least one HTTP method. */
  isOpen(url: string): boolean {
    return this.#find(pathOf(url)).some(({ isOpen }) => isOpen);
  }

  methods(url: string): string[] {
    return [...new Set(this.#find(pathOf(url)).flatMap(({ methods }) => [...methods]))].sort();
  }

  /** Returns whether the decoded path parameters match the pattern. Fastify's router accepts any text. */
  takes(params: unknown): boolean {
    return Object.entries(params ?? {}).every(
      ([name, value]) => name === ANY_TEXT || this.#isParameter.test(value),
    );
  }

  #find(path: string) {
    return [...this.#routes.values()].filter(({ pattern }) => pattern.test(path));
  }

  #patternOf(path: string): RegExp {
    const segments = path.split('/').map((segment) => {
      if (segment === `:${ANY_TEXT}`) return '[^/]+';
      return segment.startsWith(':') ? this.#parameter : segment.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
    });
    return new RegExp(`^${segments.join('/')}$`);
  }
}

const pathOf = (url: string) => canonicalPath(url.split('?', 1)[0] ?? url);

/** Message for a missing key. It begins with the message for a wrong key, which SuperTokens core uses for both. */
const MISSING_KEY = 'Invalid API key: API key missing, send it in the header api-key';

/** The API keys as digests, which have the same length, so comparing takes the same time for any key. */
export class ApiKeys {
  #keys: readonly ApiKey[];

  constructor(keys: readonly ApiKey[]) {
    this.#keys = keys;
  }

  /** Replaces the keys. Requests whose key was already checked continue. */
  replace(keys: readonly ApiKey[]): void {
    this.#keys = keys;
  }

  /** @throws {AppError} API_KEY_INVALID if the request carries no configured key */
  check(request: FastifyRequest): ApiKey {
    const key = presentedKey(request);
    const given = hash('sha256', key ?? '', 'buffer');
    let found: ApiKey | undefined;
    // Every configured key is compared, so that the time does not reveal which one matched.
    for (const known of this.#keys) if (timingSafeEqual(given, known.digest)) found ??= known;
    // A key without rights is retired: callers cannot use it, but it still decrypts what it encrypted.
    const isUsable = key !== undefined && found !== undefined && found.allow.length > 0;
    if (found === undefined || !isUsable)
      throw new AppError('API_KEY_INVALID', key ? 'Invalid API key' : MISSING_KEY);
    return found;
  }
}

function presentedKey({ headers }: FastifyRequest): string | undefined {
  const key = headers['api-key'];
  if (typeof key === 'string') return key.trim();
  return headers.authorization?.trim().replace(/^bearer\s+/i, '');
}

/**
 * Checks path, then API key and rights, then method. If no route has the method, the path alone decides
 * whether a key is needed, so that a caller without a key learns only that the path exists.
 */
export class RouteChecks {
  readonly #routes: RouteTable;
  readonly #keys: ApiKeys;

  constructor(routes: RouteTable, keys: ApiKeys) {
    this.#routes = routes;
    this.#keys = keys;
  }

  /** @throws {AppError} NOT_FOUND if no route has this path with any method */
  readonly checkPath = ({ is404, url, params }: FastifyRequest): void => {
    const isKnown = is404 ? this.#routes.has(url) : this.#routes.takes(params);
    if (!isKnown) throw new AppError('NOT_FOUND', 'Not found');
  };

  /** @throws {AppError} API_KEY_INVALID, RIGHT_MISSING */
  readonly checkKey = (request: FastifyRequest): void => {
    const { is404, url, routeOptions } = request;
    const needed = is404
      ? this.#routes.isOpen(url)
        ? 'open'
        : 'any'
      : neededKey(request, routeOptions.config);
    if (needed === 'open') return;
    const { name, allow } = this.#keys.check(request);
    request.apiKeyName = name;
    request.apiKeyRights = allow;
    if (needed !== 'any') requireRight(request, needed);
  };

  /** @throws {AppError} METHOD_NOT_SUPPORTED */
  readonly checkMethod = (request: FastifyRequest, reply: FastifyReply): void => {
    if (request.is404) this.refuseMethod(request, reply);
  };

  isOwn(url: string): boolean {
    return this.#routes.has(url);
  }

  /** @throws {AppError} METHOD_NOT_SUPPORTED with the methods that the path supports */
  refuseMethod({ url }: FastifyRequest, reply: FastifyReply): never {
    const allowed = this.#routes.methods(url).join(', ');
    void reply.header('allow', allowed);
    throw new AppError('METHOD_NOT_SUPPORTED', `Method not supported: this path answers ${allowed}`);
  }
}

/**
 * Checks the right of a route, or a further one that the options of the request need.
 * @throws {AppError} RIGHT_MISSING
 */
export function requireRight(request: FastifyRequest, right: Right): void {
  if (hasRight(request, right)) return;
  throw new AppError('RIGHT_MISSING', `The API key "${request.apiKeyName}" lacks the right "${right}"`);
}

export const hasRight = (
  { apiKeyRights = [] }: Pick<FastifyRequest, 'apiKeyRights'>,
  right: Right,
): boolean => apiKeyRights.includes(right);

/** Defaults to `manage`, so that a route without a declaration is protected. */
const neededKey = (request: FastifyRequest, { key = 'manage' }: FastifyContextConfig): NeededKey =>
  typeof key === 'function' ? key(request) : key;
