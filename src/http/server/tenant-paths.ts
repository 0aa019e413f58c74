import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { AppError } from '../../lib/errors.ts';

/**
 * SuperTokens app and tenant of a request. Both are optional at the start of a path:
 * `/appid-<app>/<tenant>/recipe/signin`.
 */
interface Tenancy {
  app: string;
  tenant: string;
}

/**
 * Apps and tenants for which this service handles a path. For others, app and tenant stay in the path, because the core
 * behind this service may have them.
 */
export type TenancyReach = 'everywhere' | 'public app' | 'public tenant';

/** Paths of the routes of this service. */
interface OwnPaths {
  has(path: string): boolean;
}

/**
 * Returns for which apps and tenants this service handles a path of the core, or undefined if it leaves the path to the
 * core. The path is in lower case, without a trailing slash.
 */
type ReachInFront = (path: string) => TenancyReach | undefined;

/** Paths that answer with a greeting. Each tenant of a core has them. */
const GREETINGS: ReadonlySet<string> = new Set(['/', '/hello']);

const PUBLIC: Tenancy = { app: 'public', tenant: 'public' };

/**
 * Removes the SuperTokens app and tenant from request paths before routing. As in SuperTokens core, a first
 * segment is a tenant only if the rest is the path of a route. A tenant may therefore have any name, and an
 * unknown path stays unknown.
 */
export class TenantPaths {
  readonly #own: OwnPaths;
  readonly #reachInFront: ReachInFront | undefined;
  readonly #tenancies = new WeakMap<IncomingMessage, Tenancy>();

  /** @param reachInFront set if a core is behind this service */
  constructor(own: OwnPaths, reachInFront?: ReachInFront) {
    this.#own = own;
    this.#reachInFront = reachInFront;
  }

  /**
   * Returns the URL without app and tenant, and remembers both for `check`. Fastify calls it as `rewriteUrl`.
   */
  readonly rewrite = (request: IncomingMessage): string => {
    const url = request.url ?? '/';
    const queryStart = url.indexOf('?');
    const path = queryStart === -1 ? url : url.slice(0, queryStart);
    if (this.#reachOf(canonicalPath(path)) !== undefined) return url;

    const segments = path.split('/').slice(1);
    // `/appid-` without a name means the public app, as in SuperTokens core.
    const app = /^appid-(.*)$/i.exec(segments[0] ?? '')?.[1]?.toLowerCase();
    if (app !== undefined) segments.shift();
    const rest = () => canonicalPath(`/${segments.join('/')}`);
    let tenant = 'public';
    const first = segments[0]?.toLowerCase() ?? '';
    let reach = this.#reachOf(rest());
    if (reach === undefined || (first === '' && app === undefined)) {
      segments.shift();
      reach = this.#reachOf(rest());
      // `/anything` is an unknown path, not the path `/` of a tenant "anything".
      if (reach === undefined || (rest() === '/' && first !== 'public')) return url;
      tenant = first;
    }
    const tenancy = { app: app || 'public', tenant };
    if (reach === 'public tenant' && !isPublic(tenancy)) return url;
    if (reach === 'public app' && tenancy.app !== 'public') return url;
    this.#tenancies.set(request, tenancy);
    return `/${segments.join('/')}${queryStart === -1 ? '' : url.slice(queryStart)}`;
  };

  /**
   * Returns for which apps and tenants a path is handled here. In front of a core, that is all of them for a path of
   * this service, so that no app or tenant in the path lets such a call reach the core. Only the greeting of another
   * tenant is left to the core.
   * @param path in lower case without a trailing slash
   */
  #reachOf(path: string): TenancyReach | undefined {
    if (!this.#own.has(path)) return this.#reachInFront?.(path);
    return this.#reachInFront !== undefined && GREETINGS.has(path) ? 'public tenant' : 'everywhere';
  }

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
