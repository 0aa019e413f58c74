import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { AppError } from '../../lib/errors.ts';

/** Both are optional at the start of a path: `/appid-<app>/<tenant>/recipe/signin`. */
interface Tenancy {
  app: string;
  tenant: string;
}

const PUBLIC: Tenancy = { app: 'public', tenant: 'public' };

/**
 * Removes the SuperTokens app and tenant from request paths before routing. As in SuperTokens core, a first
 * segment is a tenant only if the rest is the path of a route. A tenant may therefore have any name, and an
 * unknown path stays unknown.
 */
export class TenantPaths {
  readonly #routes: { has(path: string): boolean };
  readonly #publicOnly: boolean;
  readonly #tenancies = new WeakMap<IncomingMessage, Tenancy>();

  /**
   * @param routes paths of all routes, in lower case without a trailing slash
   * @param publicOnly whether paths of other apps and tenants stay, because the core behind this service may
   * have them
   */
  constructor(routes: { has(path: string): boolean }, publicOnly: boolean) {
    this.#routes = routes;
    this.#publicOnly = publicOnly;
  }

  /**
   * Returns the URL without app and tenant, and remembers both for `check`. Fastify calls it as `rewriteUrl`.
   */
  readonly rewrite = (request: IncomingMessage): string => {
    const url = request.url ?? '/';
    const queryStart = url.indexOf('?');
    const path = queryStart === -1 ? url : url.slice(0, queryStart);
    if (this.#routes.has(canonicalPath(path))) return url;

    const segments = path.split('/').slice(1);
    // `/appid-` without a name means the public app, as in SuperTokens core.
    const app = /^appid-(.*)$/i.exec(segments[0] ?? '')?.[1]?.toLowerCase();
    if (app !== undefined) segments.shift();
    const rest = () => canonicalPath(`/${segments.join('/')}`);
    let tenant = 'public';
    const first = segments[0]?.toLowerCase() ?? '';
    if (!this.#routes.has(rest()) || (first === '' && app === undefined)) {
      segments.shift();
      // `/anything` is an unknown path, not the path `/` of a tenant "anything".
      if (!this.#routes.has(rest()) || (rest() === '/' && first !== 'public')) return url;
      tenant = first;
    }
    const tenancy = { app: app || 'public', tenant };
    if (this.#publicOnly && !isPublic(tenancy)) return url;
    this.#tenancies.set(request, tenancy);
    return `/${segments.join('/')}${queryStart === -1 ? '' : url.slice(queryStart)}`;
  };

  /** @throws {AppError} unless the request is for the only app and tenant of this service */
  readonly check = ({ raw, routeOptions }: FastifyRequest): void => {
    const tenancy = this.#tenancies.get(raw) ?? PUBLIC;
    if (isPublic(tenancy)) return;
    if (tenancy.app === 'public' && routeOptions.config.level === 'app') {
      throw new AppError('TENANT_NOT_ALLOWED', 'Only public tenantId can call this app specific API');
    }
    throw new AppError(
      'TENANT_NOT_FOUND',
      'AppId or tenantId not found: this service has the app "public" and the tenant "public" only',
    );
  };
}

const isPublic = ({ app, tenant }: Tenancy) => app === 'public' && tenant === 'public';

/** Returns a path as the router compares paths: in lower case, without a trailing slash. */
export function canonicalPath(path: string): string {
  const lower = path.toLowerCase();
  return lower.length > 1 && lower.endsWith('/') ? lower.slice(0, -1) : lower;
}
