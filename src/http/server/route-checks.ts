import type { FastifyContextConfig, FastifyReply, FastifyRequest } from 'fastify';
import type { Right } from '../../config/api-keys.ts';
import { AppError } from '../../lib/errors.ts';
import type { ApiKeys } from './api-keys.ts';
import type { NeededKey } from './route-policy.ts';
import type { RouteTable } from './route-table.ts';

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
export function requireRight(
  { apiKeyName, apiKeyRights = [] }: Pick<FastifyRequest, 'apiKeyName' | 'apiKeyRights'>,
  right: Right,
): void {
  if (apiKeyRights.includes(right)) return;
  throw new AppError('RIGHT_MISSING', `The API key "${apiKeyName}" lacks the right "${right}"`);
}

/** Defaults to `manage`, so that a route without a declaration is protected. */
const neededKey = (request: FastifyRequest, { key = 'manage' }: FastifyContextConfig): NeededKey =>
  typeof key === 'function' ? key(request) : key;
