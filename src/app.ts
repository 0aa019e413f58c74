import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import { v7 as uuidv7 } from 'uuid';
import { AppError } from './errors.ts';
import { ApiKeys } from './http/api-key.ts';
import { BodyTimeout } from './http/body-timeout.ts';
import { NEWEST_CDI_VERSION, readCdiVersion } from './http/cdi-version.ts';
import { onGone } from './http/client-gone.ts';
import type { App, RouteDeps } from './http/context.ts';
import { DOCUMENTED_AS } from './http/documented.ts';
import { sendError } from './http/error-handler.ts';
import { HttpServers } from './http/http-servers.ts';
import { acceptJsonOnly } from './http/json-body.ts';
import { acceptNdjsonStreams } from './http/ndjson-body.ts';
import { documentApi } from './http/openapi.ts';
import { headProblem } from './http/request-head.ts';
import { logWhenDone } from './http/request-log.ts';
import { RouteTable } from './http/route-table.ts';
import { apiVersionRoute } from './http/routes/api-version.ts';
import { countStagedUsersRoute } from './http/routes/count-staged-users.ts';
import { countUsersRoute } from './http/routes/count-users.ts';
import { getImportRoute } from './http/routes/get-import.ts';
import { getUserRoute } from './http/routes/get-user.ts';
import { healthRoutes, type Readiness } from './http/routes/health.ts';
import { helloRoutes } from './http/routes/hello.ts';
import { importAtOnceRoute } from './http/routes/import-at-once.ts';
import { importStreamRoute } from './http/routes/import-stream.ts';
import { importUserRoute } from './http/routes/import-user.ts';
import { listImportsRoute } from './http/routes/list-imports.ts';
import { listStagedUsersRoute } from './http/routes/list-staged-users.ts';
import { listUsersRoute } from './http/routes/list-users.ts';
import { removeStagedUsersRoute } from './http/routes/remove-staged-users.ts';
import { removeUserRoute } from './http/routes/remove-user.ts';
import { rollBackImportRoute } from './http/routes/roll-back-import.ts';
import { signInRoute } from './http/routes/sign-in.ts';
import { signUpRoute } from './http/routes/sign-up.ts';
import { stageUsersRoute } from './http/routes/stage-users.ts';
import { thirdPartyUserRoute } from './http/routes/third-party-user.ts';
import { updateUserRoute } from './http/routes/update-user.ts';
import { usersByAccountInfoRoute } from './http/routes/users-by-account-info.ts';
import { verifyPasswordHashRoute } from './http/routes/verify-password-hash.ts';
import { TenantPaths } from './http/tenant-path.ts';
import { TroubleLog } from './http/trouble-log.ts';

export interface AppOptions extends RouteDeps {
  /** Separated by commas, each with its name before it or without. */
  apiKeys: string;
  readiness: Readiness;
  logger: FastifyBaseLogger;
  /** Largest request body, in bytes. */
  bodyLimitBytes: number;
  /** Longest the head of a request may take to arrive, and then its body unless that is streamed, in ms. */
  requestTimeoutMs: number;
  /** Of this software, for the interface description. */
  version: string;
}

/** Every route of the wire contract. A new endpoint is a file in http/routes and a line here. */
const ROUTES = [
  apiVersionRoute,
  importUserRoute,
  importStreamRoute,
  listImportsRoute,
  getImportRoute,
  rollBackImportRoute,
  stageUsersRoute,
  listStagedUsersRoute,
  countStagedUsersRoute,
  removeStagedUsersRoute,
  importAtOnceRoute,
  verifyPasswordHashRoute,
  thirdPartyUserRoute,
  signInRoute,
  signUpRoute,
  updateUserRoute,
  getUserRoute,
  listUsersRoute,
  countUsersRoute,
  usersByAccountInfoRoute,
  removeUserRoute,
];

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
    const { open = false, appLevel = false, kind = 'quick' } = request.routeOptions.config;
    const isKnown = request.is404 ? routes.has(request.url) : routes.takes(request.params);
    if (!isKnown) throw new AppError('NOT_FOUND', 'Not found');
    // Where no route matches there is only a path to go by.
    const isOpen = request.is404 ? routes.isOpen(request.url) : open;
    if (!isOpen) request.apiKeyName = keys.check(request);
    if (request.is404) return;
    tenants.check(request.raw, appLevel);
    if (!open) request.cdiVersion = readCdiVersion(request);
    if (!open && kind !== 'bulk') onGone(reply, options.pace.call(kind));
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
  await app.register(helloRoutes);
  await app.register(healthRoutes, options);
  for (const route of ROUTES) await app.register(route, options);
  return app;
}

/** What is wrong with the head of a request, if anything: its connection is closed then. */
function refuseHead({ raw }: FastifyRequest, reply: FastifyReply): AppError | undefined {
  const problem = headProblem(raw);
  if (problem !== undefined) void reply.header('connection', 'close');
  return problem;
}
