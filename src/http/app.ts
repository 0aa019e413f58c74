import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import { v7 as uuidv7 } from 'uuid';
import { AppError } from '../lib/errors.ts';
import type { App, RouteDeps } from './context.ts';
import { DOCUMENTED_AS } from './openapi/documented.ts';
import { documentApi } from './openapi/openapi.ts';
import { addRoutes } from './routes/add-routes.ts';
import { ROUTES } from './routes/index.ts';
import { ApiKeys } from './server/api-keys.ts';
import { BodyTimeout } from './server/body-timeout.ts';
import { NEWEST_CDI_VERSION, readCdiVersion } from './server/cdi-version.ts';
import { onGone } from './server/client-gone.ts';
import { sendError } from './server/error-handler.ts';
import { HttpServers } from './server/http-servers.ts';
import { acceptJsonOnly } from './server/json-body.ts';
import { acceptNdjsonStreams } from './server/ndjson-body.ts';
import { headProblem } from './server/request-head.ts';
import { logWhenDone } from './server/request-log.ts';
import { RouteTable } from './server/route-table.ts';
import { TenantPaths } from './server/tenant-paths.ts';
import { TroubleLog } from './server/trouble-log.ts';

export interface AppOptions extends RouteDeps {
  /** Separated by commas, each with its name before it or without. */
  apiKeys: string;
  logger: FastifyBaseLogger;
  /** Largest request body, in bytes. */
  bodyLimitBytes: number;
  /** Longest the head of a request may take to arrive, and then its body unless that is streamed, in ms. */
  requestTimeoutMs: number;
  /** Of this software, for the interface description. */
  version: string;
}

/** Puts the service together; nothing listens yet. Tests build the same one. */
export async function buildApp(options: AppOptions): Promise<App> {
  const keys = new ApiKeys(options.apiKeys);
  const routes = new RouteTable();
  const tenants = new TenantPaths(routes);
  const bodyTimeout = new BodyTimeout(options.requestTimeoutMs);
  const servers = new HttpServers(options.requestTimeoutMs);
  const app: App = Fastify({
    loggerInstance: options.logger,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    genReqId: () => uuidv7(),
    bodyLimit: options.bodyLimitBytes,
    serverFactory: servers.create,
    // A request that comes on a kept connection while this instance stops is answered, not refused.
    return503OnClosing: false,
    rewriteUrl: tenants.rewrite,
    routerOptions: { caseSensitive: false, ignoreTrailingSlash: true },
    // Fastify's defaults turn null into "" and 12345 into "12345", and answer 200.
    ajv: {
      customOptions: {
        coerceTypes: false,
        removeAdditional: false,
        useDefaults: false,
        keywords: [DOCUMENTED_AS],
      },
    },
    // Paths that cannot be decoded, or are too long for a parameter: they come past no hook.
    frameworkErrors: (error, request, reply) => {
      logWhenDone(request, reply);
      bodyTimeout.start(request, reply);
      sendError(request, reply, refuseHead(request, reply) ?? error);
    },
    // All servers have their own (http-servers.ts): Fastify would add this to the first.
    clientErrorHandler: () => {},
  }).withTypeProvider<TypeBoxTypeProvider>();

  const troubles = new TroubleLog(options.logger);
  app.decorate('servers', servers);
  app.decorate('troubles', troubles);
  app.addHook('onClose', async () => troubles.flush());
  acceptJsonOnly(app);
  acceptNdjsonStreams(app, bodyTimeout);
  app.decorateRequest('cdiVersion', NEWEST_CDI_VERSION);
  app.decorateRequest('hashAlgorithm', undefined);
  app.decorateRequest('apiKeyName', undefined);
  app.addHook('onRoute', (route) => routes.add(route));
  app.addHook('onRequest', async (request, reply) => logWhenDone(request, reply));
  app.addHook('onRequest', async (request, reply) => {
    // Not in the hook before: by now Node has read the body as far as it came with the head.
    bodyTimeout.start(request, reply);
    const problem = refuseHead(request, reply);
    if (problem !== undefined) throw problem;
    const { key, level, work = 'quick' } = request.routeOptions.config;
    const open = key === 'open';
    const isKnown = request.is404 ? routes.has(request.url) : routes.takes(request.params);
    if (!isKnown) throw new AppError('NOT_FOUND', 'Not found');
    // Where no route matches there is only a path to go by.
    const isOpen = request.is404 ? routes.isOpen(request.url) : open;
    if (!isOpen) request.apiKeyName = keys.check(request);
    if (request.is404) return;
    tenants.check(request.raw, level === 'app');
    if (!open) request.cdiVersion = readCdiVersion(request);
    if (!open && work !== 'bulk') onGone(reply, options.pace.call(work));
  });
  app.addHook('onRequest', async (request, reply) => {
    if (!request.is404) return;
    const allowed = routes.methods(request.url).join(', ');
    void reply.header('allow', allowed);
    throw new AppError('METHOD_NOT_SUPPORTED', `Method not supported: this path answers ${allowed}`);
  });
  let closing = false;
  app.addHook('preClose', async () => {
    closing = true;
    servers.closeOthers();
  });
  // Kept connections would hold up the close until their clients let go of them.
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (closing) void reply.header('connection', 'close');
    done(null, payload);
  });
  // For what the hooks above have not told apart.
  app.setNotFoundHandler(() => {
    throw new AppError('NOT_FOUND', 'Not found');
  });
  app.setErrorHandler((error: Error, request, reply) => sendError(request, reply, error));
  await documentApi(app, options.version);
  await addRoutes(app, ROUTES, options);
  return app;
}

/** What is wrong with the head of a request, if anything: its connection is closed then. */
function refuseHead({ raw }: FastifyRequest, reply: FastifyReply): AppError | undefined {
  const problem = headProblem(raw);
  if (problem !== undefined) void reply.header('connection', 'close');
  return problem;
}
