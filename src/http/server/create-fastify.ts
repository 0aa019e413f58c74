import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import Fastify, { type FastifyBaseLogger, LogController } from 'fastify';
import type { BodyTimeout } from './body-timeout.ts';
import { sendError } from './error-handler.ts';
import type { HttpServers } from './http-servers.ts';
import { keepPrivate } from './private-answers.ts';
import { headProblem } from './request-head.ts';
import { newRequestId } from './request-id.ts';
import { logWhenDone } from './request-log.ts';
import type { TenantPaths } from './tenant-paths.ts';

interface FastifyParts {
  logger: FastifyBaseLogger;
  bodyLimitBytes: number;
  servers: HttpServers;
  tenants: TenantPaths;
  bodyTimeout: BodyTimeout;
  /** Keywords that only the interface description uses. Ajv would refuse them as unknown. */
  schemaKeywords: readonly string[];
}

export function createFastify(parts: FastifyParts) {
  const { logger, bodyLimitBytes, servers, tenants, bodyTimeout, schemaKeywords } = parts;
  return Fastify({
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    genReqId: newRequestId,
    bodyLimit: bodyLimitBytes,
    serverFactory: servers.create,
    // While this instance stops, requests on open connections are answered and not refused.
    return503OnClosing: false,
    rewriteUrl: tenants.rewrite,
    routerOptions: { caseSensitive: false, ignoreTrailingSlash: true },
    // By default, Fastify would convert values to the type of the schema (null to "", 12345 to "12345").
    ajv: {
      customOptions: {
        coerceTypes: false,
        removeAdditional: false,
        useDefaults: false,
        keywords: [...schemaKeywords],
      },
    },
    // For paths that cannot be decoded, or have a parameter that is too long. Fastify runs no hook for them.
    frameworkErrors: (error, request, reply) => {
      logWhenDone(request, reply);
      bodyTimeout.start(request, reply);
      keepPrivate(request, reply);
      sendError(request, reply, headProblem(request, reply) ?? error);
    },
    // The servers have their own handler (http-servers.ts). Fastify would add its handler to the first server
    // only.
    clientErrorHandler: () => {},
  }).withTypeProvider<TypeBoxTypeProvider>();
}
