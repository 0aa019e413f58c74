import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../lib/errors.ts';
import type { App, Front } from '../context.ts';
import { CDI_VERSIONS } from '../server/cdi-version.ts';
import type { RouteChecks } from '../server/route-checks.ts';
import { askCore, jsonOf, passOn, wholeAnswer } from './forward.ts';
import { INTERCEPTED } from './intercepted.ts';

/** Paths that the core answers without a key: SDKs fetch the keys of access tokens so. This service has a `/hello` itself. */
const OPEN_PATHS = [
  '/.well-known/jwks.json',
  '/:tenant/.well-known/jwks.json',
  '/:app/:tenant/.well-known/jwks.json',
  '/:tenant/hello',
  '/:app/:tenant/hello',
];

/** A path segment that a server may read as `.` or `..`: `%2e` is a dot, and Tomcat drops what follows a semicolon. */
const DOT_SEGMENT = /^(\.|%2e){1,2}((;|%3b).*)?$/i;

/** Forwards every request to the core that no route of this service has, and intercepts the calls of users who wait. */
export function addForwarding(app: App, front: Front, checks: RouteChecks): void {
  const { connection } = front;
  const config = { isForwarded: true, level: 'tenant', storage: 'no database' } as const;
  void app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
    for (const { method, url, answer } of INTERCEPTED) {
      scope.route({
        method,
        url,
        config: { ...config, key: 'key', storage: 'database', work: 'hashing' },
        handler: async (request, reply) => {
          const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
          const json = jsonOf(body);
          if (json === undefined) return passOn(reply, await askCore(connection, request, reply, body));
          return passOn(reply, await answer(front, { request, reply, body, json }));
        },
      });
    }
  });
  void app.register(async (scope) => {
    // Bodies stay unread, and are streamed to the core as they come.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, _payload, done) => done(null));
    scope.addHook('onRequest', async (request) => refuseDotSegments(request));
    const forward = async (request: FastifyRequest, reply: FastifyReply) =>
      passOn(reply, await askCore(connection, request, reply, undefined));
    scope.get('/apiversion', { config: { ...config, key: 'key' } }, async (request, reply) => {
      const answer = await wholeAnswer(await askCore(connection, request, reply, Buffer.alloc(0)));
      const versions = answer.json?.versions;
      if (!Array.isArray(versions)) return passOn(reply, answer);
      return { versions: CDI_VERSIONS.filter((version) => versions.includes(version)) };
    });
    for (const url of OPEN_PATHS) scope.get(url, { config: { ...config, key: 'open' } }, forward);
    scope.route({
      method: scope.supportedMethods,
      url: '*',
      config: { ...config, key: 'key' },
      onRequest: async (request, reply) => {
        if (checks.isOwn(request.url)) checks.refuseMethod(request, reply);
      },
      handler: forward,
    });
  });
}

/** @throws {AppError} NOT_FOUND for a path that could leave the base path of the core */
function refuseDotSegments({ originalUrl }: FastifyRequest): void {
  const [path = ''] = originalUrl.split('?', 1);
  const segments = path.split(/[/\\]|%2f|%5c/i);
  if (!path.startsWith('/') || segments.some((segment) => DOT_SEGMENT.test(segment)))
    throw new AppError('NOT_FOUND', 'Not found');
}
