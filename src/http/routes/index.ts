import { MAX_NEEDED_BYTES } from '../server/bodies.ts';
import type { RouteBounds, RouteRow } from './define-route.ts';
import * as handOver from './hand-over-routes.ts';
import * as hash from './hash-routes.ts';
import * as hook from './hook-routes.ts';
import * as imports from './import-routes.ts';
import * as service from './service-routes.ts';
import * as signIn from './sign-in-routes.ts';
import * as staged from './staged-user-routes.ts';
import * as stream from './stream-routes.ts';
import * as user from './user-routes.ts';

/** Bounds of requests that stage users. They may hash passwords for minutes. */
const STAGING: RouteBounds = {
  bodyLimitBytes: MAX_NEEDED_BYTES,
  atOnce: { most: 'maxStreams', tooMany: 'too many users are being staged (bulk_import_connections)' },
};

const STREAMS: RouteBounds = {
  atOnce: { most: 'maxStreams', tooMany: 'too many imports run (bulk_import_connections)' },
};

const HOOKS: RouteBounds = { fixedLimitBytes: 16 * 1024 };

const EXPORTS: RouteBounds = {
  atOnce: { most: 'maxExports', tooMany: 'an export runs already' },
};

/**
 * A new endpoint needs a definition in a file beside this one and a row here; tests then say what is missing. The columns are
 * explained in server/route-checks.ts and define-route.ts. Outside this table are only the interface
 * description (/openapi.json, /docs) and the page /imports, which need no key.
 */
// biome-ignore format: rows are compared by their columns
export const ROUTES: readonly RouteRow[] = [
  { method: ['GET', 'POST', 'PUT', 'DELETE'], path: ['/hello', '/'], level: 'tenant', key: 'open',   body: 'any', route: service.helloRoute, storage: 'no database' },
  { method: 'GET',  path: '/health/live',                            level: 'tenant', key: 'open',   body: 'none',            route: service.liveRoute, storage: 'no database' },
  { method: 'GET',  path: '/health/ready',                           level: 'tenant', key: 'open',   body: 'none',            route: service.readyRoute, storage: 'no database' },

  // Tells the page /imports which rights the API key has.
  { method: 'GET',  path: '/api-key',                                level: 'app',    key: 'any',     body: 'none',            route: service.apiKeyRoute, storage: 'no database' },

  // Metrics for callers with an API key. The port `metrics_port` serves the same metrics without a key.
  { method: 'GET',  path: '/metrics',                                level: 'app',    key: 'read',    body: 'none',            route: service.metricsRoute, storage: 'no database' },

  // Routes that the SuperTokens SDKs call.
  { method: 'GET',  path: '/apiversion',                             level: 'app',    key: 'any',     body: 'none',            route: service.apiVersionRoute, storage: 'no database', inFrontOfCore: 'core' },
  { method: 'POST', path: '/recipe/user/passwordhash/import',        level: 'tenant', key: 'import',  body: 'json',            route: hash.importUserRoute },
  { method: 'POST', path: '/recipe/user/passwordhash/verify',        level: 'tenant', key: 'import',  body: 'json',            route: hash.verifyPasswordHashRoute, work: 'hashing', storage: 'no database' },
  { method: 'GET',  path: '/recipe/user/passwordhash/census',        level: 'app',    key: 'read',    body: 'none',            route: hash.hashCensusRoute },
  { method: 'POST', path: '/recipe/user/passwordhash/signer-keys',   level: 'app',    key: 'import',  body: 'json',            route: hash.signerKeysRoute, storage: 'no database' },
  { method: 'POST', path: '/recipe/signinup',                        level: 'tenant', key: 'signin',  body: 'json',            route: signIn.thirdPartyUserRoute, inFrontOfCore: 'core' },
  { method: 'POST', path: '/recipe/signin',                          level: 'tenant', key: 'signin',  body: 'json',            route: signIn.signInRoute, work: 'hashing', inFrontOfCore: 'core' },
  { method: 'POST', path: '/recipe/signup',                          level: 'tenant', key: 'signin',  body: 'json',            route: signIn.signUpRoute, work: 'hashing', inFrontOfCore: 'core' },
  { method: 'PUT',  path: '/recipe/user',                            level: 'app',    key: 'manage',  body: 'json',            route: signIn.updateUserRoute, work: 'hashing', inFrontOfCore: 'core' },
  { method: 'PUT',  path: '/recipe/user/disabled',                   level: 'app',    key: 'manage',  body: 'json',            route: user.setDisabledRoute },
  { method: 'GET',  path: '/recipe/user/factors',                    level: 'app',    key: 'manage',  body: 'none',            route: user.getFactorsRoute },
  { method: 'GET',  path: '/user/id',                                level: 'app',    key: 'read',    body: 'none',            route: user.getUserRoute, inFrontOfCore: 'core' },
  { method: 'GET',  path: '/users',                                  level: 'tenant', key: 'read',    body: 'none',            route: user.listUsersRoute, inFrontOfCore: 'core' },
  { method: 'GET',  path: '/users/count',                            level: 'tenant', key: 'read',    body: 'none',            route: user.countUsersRoute, inFrontOfCore: 'core' },
  { method: 'GET',  path: '/users/by-accountinfo',                   level: 'tenant', key: 'read',    body: 'none',            route: user.usersByAccountInfoRoute, inFrontOfCore: 'core' },
  { method: 'GET',  path: '/recipe/user/metadata',                   level: 'app',    key: 'read',    body: 'none',            route: user.getMetadataRoute, inFrontOfCore: 'core' },
  { method: 'GET',  path: '/recipe/userid/map',                      level: 'app',    key: 'read',    body: 'none',            route: user.getUserIdMappingRoute, inFrontOfCore: 'core' },
  { method: 'POST', path: '/user/remove',                            level: 'app',    key: 'manage',  body: 'json',            route: user.removeUserRoute, inFrontOfCore: 'core' },

  { method: 'POST', path: '/bulk-import/stream',                     level: 'app',    key: 'import',  body: 'ndjson stream',   route: stream.importStreamRoute, work: 'bulk', bounds: STREAMS },
  { method: 'GET',  path: '/bulk-import/imports',                    level: 'app',    key: 'read',    body: 'none',            route: imports.listImportsRoute },
  { method: 'GET',  path: '/bulk-import/imports/:importId',          level: 'app',    key: 'read',    body: 'none',            route: imports.getImportRoute },
  { method: 'GET',  path: '/bulk-import/imports/:importId/failures', level: 'app',    key: 'read',    body: 'none',            route: imports.listFailuresRoute },
  { method: 'POST', path: '/bulk-import/imports/:importId/rollback', level: 'app',    key: 'manage',  body: 'optional json',   route: imports.rollBackImportRoute, work: 'bulk' },
  { method: 'POST', path: '/bulk-import/users',                      level: 'app',    key: 'import',  body: 'json with users', route: staged.stageUsersRoute, work: 'bulk', bounds: STAGING },
  { method: 'GET',  path: '/bulk-import/users',                      level: 'app',    key: 'read',    body: 'none',            route: staged.listStagedUsersRoute },
  { method: 'GET',  path: '/bulk-import/users/count',                level: 'app',    key: 'read',    body: 'none',            route: staged.countStagedUsersRoute },
  { method: 'POST', path: '/bulk-import/users/remove',               level: 'app',    key: 'import',  body: 'json',            route: staged.removeStagedUsersRoute },
  { method: 'POST', path: '/bulk-import/import',                     level: 'app',    key: 'import',  body: 'json with users', route: staged.importAtOnceRoute },

  { method: 'GET',  path: '/bulk-export/stream',                     level: 'app',    key: 'export',  body: 'none',            route: stream.exportStreamRoute, work: 'bulk', bounds: EXPORTS },

  // Hooks of identity providers. The setting `password_hooks` names those that are served.
  { method: 'POST', path: '/hooks/hash',                             level: 'app',    key: 'verify',  body: 'json',            route: hook.hashHookRoute, hook: 'hash', work: 'hashing', storage: 'no database', bounds: HOOKS },
  { method: 'POST', path: '/hooks/rehearse',                         level: 'app',    key: 'verify',  body: 'json',            route: hook.rehearseHookRoute, hook: 'rehearse', storage: 'no database', bounds: HOOKS },
  { method: 'GET',  path: '/hooks/rehearsal',                        level: 'app',    key: 'read',    body: 'none',            route: hook.rehearsalRoute, storage: 'no database' },
  { method: 'POST', path: '/hooks/verify',                           level: 'app',    key: 'verify',  body: 'json',            route: hook.verifyHookRoute, hook: 'verify', work: 'hashing', bounds: HOOKS },
  { method: 'POST', path: '/hooks/lookup',                           level: 'app',    key: 'verify',  body: 'json',            route: hook.lookupHookRoute, hook: 'verify', bounds: HOOKS },
  { method: 'POST', path: '/hooks/changed',                          level: 'app',    key: 'verify',  body: 'json',            route: hook.changedHookRoute, hook: 'verify', bounds: HOOKS },
  { method: 'POST', path: '/hooks/kratos',                           level: 'app',    key: 'verify',  body: 'json',            route: hook.kratosHookRoute, hook: 'kratos', work: 'hashing', bounds: HOOKS },
  { method: 'POST', path: '/hooks/okta',                             level: 'app',    key: 'verify',  body: 'json',            route: hook.oktaHookRoute, hook: 'okta', work: 'hashing', bounds: HOOKS },
  { method: 'POST', path: '/hooks/keycloak/:login',                  level: 'app',    key: 'verify',  body: 'json',            route: hook.keycloakHookRoute, hook: 'keycloak', work: 'hashing', bounds: HOOKS },
  { method: 'GET',  path: '/hooks/keycloak/:login',                  level: 'app',    key: 'verify',  body: 'none',            route: hook.keycloakUserRoute, hook: 'keycloak' },

  { method: 'GET',  path: '/hooks/progress',                         level: 'app',    key: 'read',    body: 'none',            route: hook.hookProgressRoute },
  { method: 'GET',  path: '/hooks/waiting',                          level: 'app',    key: 'read',    body: 'none',            route: hook.waitingLoginsRoute },

  { method: 'POST', path: '/hand-over',                              level: 'app',    key: 'manage',  body: 'json',            route: handOver.startHandOverRoute },
  { method: 'GET',  path: '/hand-over',                              level: 'app',    key: 'read',    body: 'none',            route: handOver.listHandOversRoute },
  { method: 'GET',  path: '/hand-over/:handOverId',                  level: 'app',    key: 'read',    body: 'none',            route: handOver.getHandOverRoute },
  { method: 'GET',  path: '/hand-over/:handOverId/refused',          level: 'app',    key: 'read',    body: 'none',            route: handOver.listRefusedRoute },
  { method: 'POST', path: '/hand-over/:handOverId/undo',             level: 'app',    key: 'manage',  body: 'optional json',   route: handOver.undoHandOverRoute },
];
