import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { AppError } from '../../lib/errors.ts';

/** App and tenant before a route in the path: `/appid-<app>/<tenant>/recipe/signin`. Both are optional. */
interface Tenancy {
  app: string;
  tenant: string;
}

const PUBLIC: Tenancy = { app: 'public', tenant: 'public' };

/**
 * Takes app and tenant off request paths before they are routed. A first segment counts as a tenant only where what
 * follows is a route, as in SuperTokens core: so a tenant may have any name, and an unknown path stays one.
 */
export class TenantPaths {
  readonly #routes: { has(path: string): boolean };
  readonly #publicOnly: boolean;
  readonly #tenancies = new WeakMap<IncomingMessage, Tenancy>();

  /**
   * @param routes the paths that are routed, in lower case without a trailing slash
   * @param publicOnly leaves paths of other apps and tenants as they are: the core behind this service may have them
   */
  constructor(routes: { has(path: string): boolean }, publicOnly: boolean) {
    this.#routes = routes;
    this.#publicOnly = publicOnly;
  }

  /** Returns the URL without app and tenant, which are remembered for `check`; for Fastify's `rewriteUrl`. */
  readonly rewrite = (request: IncomingMessage): string => {
    const url = request.url ?? '/';
    const queryStart = url.indexOf('?');
    const path = queryStart === -1 ? url : url.slice(0, queryStart);
    if (this.#routes.has(canonicalPath(path))) return url;

    const segments = path.split('/').slice(1);
    // An app without a name is the public one, as in SuperTokens core.
    const app = /^appid-(.*)$/i.exec(segments[0] ?? '')?.[1]?.toLowerCase();
    if (app !== undefined) segments.shift();
    const rest = () => canonicalPath(`/${segments.join('/')}`);
    let tenant = 'public';
    const first = segments[0]?.toLowerCase() ?? '';
    if (!this.#routes.has(rest()) || (first === '' && app === undefined)) {
      segments.shift();
      // `/anything` is an unknown path, not the greeting of the tenant "anything".
      if (!this.#routes.has(rest()) || (rest() === '/' && first !== 'public')) return url;
      tenant = first;
    }
    const tenancy = { app: app || 'public', tenant };
    if (this.#publicOnly && !isPublic(tenancy)) return url;
    this.#tenancies.set(request, tenancy);
    return `/${segments.join('/')}${queryStart === -1 ? '' : url.slice(queryStart)}`;
  };

  /** @throws {AppError} unless the request is for the one app and tenant there are */
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

/** Returns a path as the router sees it: letter case and one trailing slash make no difference. */
export function canonicalPath(path: string): string {
  const lower = path.toLowerCase();
  return lower.length > 1 && lower.endsWith('/') ? lower.slice(0, -1) : lower;
}
