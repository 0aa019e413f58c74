import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify';
import type { Right } from '../../config/api-keys.ts';
import type { Metrics } from '../../lib/metrics.ts';
import { type BodyTimeout, WholeBodies } from './bodies.ts';
import { sendError } from './error-handler.ts';
import { HttpServers } from './http-servers.ts';
import { type CdiVersion, headProblem, keepPrivate, NEWEST_CDI_VERSION } from './request-checks.ts';
import { logWhenDone, newRequestId, RequestMeter, TroubleLog } from './request-log.ts';
import type { TenantPaths } from './tenant-paths.ts';

interface FastifyParts {
  logger: FastifyBaseLogger;
  metrics: Metrics;
  bodyLimitBytes: number;
  requestTimeoutMs: number;
  tenants: TenantPaths;
  bodyTimeout: BodyTimeout;
  /** Keywords that only the interface description uses. Ajv would refuse them as unknown. */
  schemaKeywords: string[];
}

/**
 * Paths of Keycloak's hook. Its plugin takes every error answer for a wrong password, so after a fault the connection
 * is closed without an answer (FAULTS in route-checks.ts).
 */
const OF_KEYCLOAK = /^\/hooks\/keycloak\//i;

export function createFastify(parts: FastifyParts): FastifyInstance {
  const { logger, bodyLimitBytes, requestTimeoutMs, tenants, bodyTimeout } = parts;
  const servers = new HttpServers(requestTimeoutMs);
  const app: FastifyInstance = Fastify({
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    genReqId: newRequestId,
    bodyLimit: bodyLimitBytes,
    serverFactory: servers.create,
    // While this instance stops, requests on open connections are answered and not refused.
    return503OnClosing: false,
    rewriteUrl: tenants.rewrite,
    // A path may have an e-mail address. Percent-encoded, each of its characters may take twelve.
    routerOptions: { caseSensitive: false, ignoreTrailingSlash: true, maxParamLength: 4096 },
    // By default, Fastify would convert values to the type of the schema (null to "", 12345 to "12345").
    ajv: {
      customOptions: {
        coerceTypes: false,
        removeAdditional: false,
        useDefaults: false,
        keywords: parts.schemaKeywords,
      },
    },
    // Called for paths that cannot be decoded, or have a parameter that is too long. Fastify runs no hook for them, so
    // the work of the hooks is done here.
    frameworkErrors: (error, request, reply) => {
      logWhenDone(request, reply);
      bodyTimeout.start(request, reply);
      keepPrivate(request, reply);
      if (OF_KEYCLOAK.test(request.url)) {
        request.raw.socket.destroy();
        return;
      }
      sendError(request, reply, headProblem(request, reply) ?? error);
    },
    // The servers have their own handler (http-servers.ts). Fastify would add its handler to the first server
    // only.
    clientErrorHandler: () => {},
  }).withTypeProvider<TypeBoxTypeProvider>();
  app.decorate('servers', servers);
  app.decorate('troubles', new TroubleLog(logger));
  app.decorate('meter', new RequestMeter(parts.metrics));
  app.decorate('bodies', new WholeBodies(bodyLimitBytes));
  // All members are declared at once, because V8 is slow with objects that get further members later.
  app.decorateRequest('cdiVersion', NEWEST_CDI_VERSION);
  app.decorateRequest('hashAlgorithm', undefined);
  app.decorateRequest('apiKeyName', undefined);
  app.decorateRequest('apiKeyRights', undefined);
  app.decorateRequest('bodyBytes', 0);
  return app;
}

declare module 'fastify' {
  interface FastifyInstance {
    /** The Node.js servers, one for each address on which the service listens. */
    servers: HttpServers;
    troubles: TroubleLog;
    meter: RequestMeter;
    bodies: WholeBodies;
    isLastAnswer(request: FastifyRequest): boolean;
  }
  interface FastifyRequest {
    /** Version that the caller names, or the newest one. */
    cdiVersion: CdiVersion;
    /** Algorithm of a password hash, for the log line of the request. */
    hashAlgorithm: string | undefined;
    /** Name of the caller's API key. Undefined if the route needs no key. */
    apiKeyName: string | undefined;
    apiKeyRights: readonly Right[] | undefined;
    /** Memory that the body takes, in bytes (bodies.ts). */
    bodyBytes: number;
  }
}
