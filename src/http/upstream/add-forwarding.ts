import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Right } from '../../config/api-keys.ts';
import { AppError } from '../../lib/errors.ts';
import type { App, Front } from '../context.ts';
import { MAX_NEEDED_BYTES } from '../server/bodies.ts';
import { CDI_VERSIONS } from '../server/request-checks.ts';
import type { RouteChecks } from '../server/route-checks.ts';
import { canonicalPath, type TenancyReach } from '../server/tenant-paths.ts';
import { CoreBody } from './core-body.ts';
import { askCore, forward, passOn } from './forward.ts';
import { INTERCEPTED, reachOfIntercepted } from './intercepted.ts';

/**
 * SuperTokens app and tenant that may precede the path of a call. The core also accepts an app without a
 * name.
 */
const TENANCY = '^(?:/appid-[^/]*)?(?:/[^/]+)?';

const callsUnder = (paths: readonly string[]) => new RegExp(`${TENANCY}(?:${paths.join('|')})$`);

/** Calls of a login page's backend for sign-ins and sessions. The right `signin` is sufficient for them. */
const SIGN_IN = callsUnder([
  '/recipe/(?:signin|signup|signinup)',
  '/recipe/signinup/code(?:/check|/consume)?',
  '/recipe/session(?:/verify|/refresh|/regenerate|/remove)?',
]);

/**
 * Look-ups whose answers contain no secrets. Answers of others, such as those of `multitenancy` and `oauth`, contain
 * client secrets of identity providers. Paths that only a later version of the core has are missing here, and need
 * `manage`.
 */
const READ = callsUnder([
  '/users(?:/count|/count/active|/by-accountinfo)?',
  '/user/(?:id|search/tags)',
  '/recipe/user(?:/roles|/metadata|/email/verify)?',
  '/recipe/users(?:/by-email)?',
  '/recipe/userid/map',
  '/recipe/session(?:/user|/data)?',
  '/recipe/signinup/codes',
  '/recipe/roles?(?:/permissions|/users)?',
  '/recipe/permission/roles',
  '/recipe/totp/device/list',
  '/recipe/accountlinking/user/(?:primary|link)/check',
  '/recipe/webauthn/options',
  '/recipe/webauthn/user/credential(?:/list)?',
  '/recipe/jwt/(?:jwks|data)',
  '/(?:requests/stats|telemetry|migration/mode|migration/backfill/progress)',
  '/hello',
]);

/**
 * Returns the right that a call to the core needs. Unknown calls need `manage`.
 * @param url path, with or without a query
 */
export function rightOfForwarded(method: string, url: string): Right {
  const path = canonicalPath(url.split('?', 1)[0] ?? url);
  if (method === 'POST' && SIGN_IN.test(path)) return 'signin';
  return (method === 'GET' || method === 'HEAD') && READ.test(path) ? 'read' : 'manage';
}

/**
 * Calls that the SuperTokens core answers without an API key. SDKs fetch the public keys of access tokens from
 * jwks.json, identity providers and browsers make the calls of SAML. `readsAuthorization`: the header `Authorization`
 * is meant for the core, and has no key of this service.
 */
const OPEN_CALLS: { method: 'GET' | 'POST'; path: string; readsAuthorization?: true }[] = [
  { method: 'GET', path: '/.well-known/jwks.json' },
  { method: 'GET', path: '/.well-known/sp-metadata' },
  { method: 'GET', path: '/hello' },
  { method: 'POST', path: '/recipe/saml/legacy/token' },
  { method: 'GET', path: '/recipe/saml/legacy/userinfo', readsAuthorization: true },
];

/** App and tenant that may precede an open path. */
const PREFIXES = ['', '/:tenant', '/:app/:tenant'];

/**
 * Paths that the core could read differently: with a semicolon, empty or dot segments, backslashes, or
 * encoded characters that need no encoding (slashes, dots, semicolons, letters, digits). `%E2%84%AA` is the
 * Kelvin sign, whose lower case is `k`.
 */
const ODD_PATH = /;|\\|\/\/|\/\.{1,2}(?:\/|$)|%(?:2[def]|3[0-9b]|[46][1-9a-f]|[57][0-9a]|5c|5f|7e|e2%84%aa)/i;

const NO_MEMBERS = new CoreBody(Buffer.from('{}'));

const API_VERSION = '/apiversion';

/** @param path a path in lower case without a trailing slash */
export const reachInFront = (path: string): TenancyReach | undefined =>
  path === API_VERSION ? 'public tenant' : reachOfIntercepted(path);

/**
 * Forwards to the SuperTokens core every request for which this service has no route. Intercepts the calls
 * that concern users whose passwords the core does not know yet.
 */
export function addForwarding(app: App, front: Front, checks: RouteChecks): void {
  const { connection } = front;
  const config = { isForwarded: true, level: 'tenant', storage: 'no database' } as const;
  void app.register(async (scope) => {
    // A call is sent to the core when its body has arrived, so that slow callers hold no connection to the core.
    scope.removeAllContentTypeParsers();
    scope.bodies.accept(scope, '*', (_request, body) => body);
    scope.addHook('onRequest', async (request) => refuseOddPath(request));
    for (const { method, url, key, answer } of INTERCEPTED) {
      scope.route({
        method,
        url,
        config: { isForwarded: true, level: 'tenant', key, work: 'hashing' },
        handler: async (request, reply) => {
          const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
          const json = method === 'GET' ? NO_MEMBERS : new CoreBody(body, request.headers['content-type']);
          return passOn(reply, await answer(front, { request, reply, body, json }));
        },
      });
    }
    scope.get(API_VERSION, { config: { ...config, key: 'any' } }, async (request, reply) => {
      const answer = await askCore(connection, request, reply, Buffer.alloc(0));
      const versions = answer.json?.versions;
      if (!Array.isArray(versions)) return passOn(reply, answer);
      return { versions: CDI_VERSIONS.filter((version) => versions.includes(version)) };
    });
    const passing = (readsAuthorization = false) => ({
      handler: (request: FastifyRequest, reply: FastifyReply) =>
        forward(connection, request, reply, readsAuthorization),
    });
    for (const { method, path, readsAuthorization } of OPEN_CALLS) {
      // This service answers /hello for itself.
      const urls = PREFIXES.map((prefix) => prefix + path).filter((url) => url !== '/hello');
      for (const url of urls)
        scope.route({ method, url, config: { ...config, key: 'open' }, ...passing(readsAuthorization) });
    }
    scope.route({
      // TRACE is not forwarded, because its answer would contain the core's API key.
      method: scope.supportedMethods.filter((method) => method !== 'TRACE'),
      url: '*',
      bodyLimit: Math.max(MAX_NEEDED_BYTES, app.initialConfig.bodyLimit ?? 0),
      config: { ...config, key: ({ method, originalUrl }) => rightOfForwarded(method, originalUrl) },
      onRequest: async (request, reply) => {
        if (checks.isOwn(request.url)) checks.refuseMethod(request, reply);
      },
      ...passing(),
    });
  });
}

/**
 * Refuses paths that could reach a route of the core that this service must intercept, or leave the base
 * path. The core's Tomcat ignores what follows a semicolon, merges slashes and decodes letters.
 */
function refuseOddPath({ originalUrl }: FastifyRequest): void {
  const [path = ''] = originalUrl.split('?', 1);
  if (!path.startsWith('/') || ODD_PATH.test(path)) throw new AppError('NOT_FOUND', 'Not found');
}
