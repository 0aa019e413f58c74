import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../lib/errors.ts';
import type { CoreConnection } from '../../upstream/core-connection.ts';
import type { App } from '../context.ts';
import { CDI_VERSIONS } from '../server/cdi-version.ts';
import type { RouteChecks } from '../server/route-checks.ts';
import { askCore, passOn } from './forward.ts';

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

/**
 * Forwards every request to the core that no route of this service has.
 */
export function addForwarding(app: App, core: CoreConnection, checks: RouteChecks): void {
  void app.register(async (scope) => {
    // Bodies stay unread, and are streamed to the core as they come.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, _payload, done) => done(null));
    const forward = async (request: FastifyRequest, reply: FastifyReply) =>
      passOn(reply, await askCore(core, request, reply, undefined));
    const config = { isForwarded: true, level: 'tenant', storage: 'no database' } as const;
    scope.get('/apiversion', { config: { ...config, key: 'key' } }, async (request, reply) => {
      const answer = await askCore(core, request, reply, undefined);
      if (answer.status !== 200) return passOn(reply, answer);
      const { versions } = JSON.parse(await answer.body.text()) as { versions: string[] };
      return { versions: CDI_VERSIONS.filter((version) => versions.includes(version)) };
    });
    for (const url of OPEN_PATHS) scope.get(url, { config: { ...config, key: 'open' } }, forward);
    scope.route({
      method: scope.supportedMethods,
      url: '*',
      config: { ...config, key: 'key' },
      onRequest: async (request, reply) => {
        const [path = ''] = request.originalUrl.split('?', 1);
        if (checks.isOwn(request.url)) checks.refuseMethod(request, reply);
        if (
          !path.startsWith('/') ||
          path.split(/[/\\]|%2f|%5c/i).some((segment) => DOT_SEGMENT.test(segment))
        )
          throw new AppError('NOT_FOUND', 'Not found');
      },
      handler: forward,
    });
  });
}
