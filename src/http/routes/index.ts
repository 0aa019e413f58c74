import type { RouteBounds, RouteMethod, RouteRow } from './add-routes.ts';
import { countStagedUsersRoute } from './bulk-import/count-staged-users-route.ts';
import { getImportRoute } from './bulk-import/get-import-route.ts';
import { importAtOnceRoute } from './bulk-import/import-at-once-route.ts';
import { importStreamRoute } from './bulk-import/import-stream-route.ts';
import { listFailuresRoute } from './bulk-import/list-failures-route.ts';
import { listImportsRoute } from './bulk-import/list-imports-route.ts';
import { listStagedUsersRoute } from './bulk-import/list-staged-users-route.ts';
import { removeStagedUsersRoute } from './bulk-import/remove-staged-users-route.ts';
import { rollBackImportRoute } from './bulk-import/roll-back-import-route.ts';
import { stageUsersRoute } from './bulk-import/stage-users-route.ts';
import { hashCensusRoute } from './recipe/hash-census-route.ts';
import { importUserRoute } from './recipe/import-user-route.ts';
import { signInRoute } from './recipe/sign-in-route.ts';
import { signUpRoute } from './recipe/sign-up-route.ts';
import { signerKeysRoute } from './recipe/signer-keys-route.ts';
import { thirdPartyUserRoute } from './recipe/third-party-user-route.ts';
import { updateUserRoute } from './recipe/update-user-route.ts';
import { verifyPasswordHashRoute } from './recipe/verify-password-hash-route.ts';
import { apiVersionRoute } from './service/api-version-route.ts';
import { liveRoute, readyRoute } from './service/health-routes.ts';
import { helloRoute } from './service/hello-route.ts';
import { countUsersRoute } from './users/count-users-route.ts';
import { getUserRoute } from './users/get-user-route.ts';
import { listUsersRoute } from './users/list-users-route.ts';
import { removeUserRoute } from './users/remove-user-route.ts';
import { usersByAccountInfoRoute } from './users/users-by-account-info-route.ts';

/** Ten thousand users with some metadata. Each request takes much memory, and may hash passwords for minutes. */
const STAGING: RouteBounds = {
  bodyLimitBytes: 16 * 1024 * 1024,
  atOnce: { most: 'maxStreams', tooMany: 'too many users are being staged (bulk_import_connections)' },
};

const STREAMS: RouteBounds = {
  atOnce: { most: 'maxStreams', tooMany: 'too many imports run (bulk_import_connections)' },
};

type TableRow = readonly [
  method: RouteMethod | readonly RouteMethod[],
  path: string | readonly string[],
  level: RouteRow['level'],
  key: RouteRow['key'],
  body: RouteRow['body'],
  work: RouteRow['work'],
  storage: RouteRow['storage'],
  route: RouteRow['route'],
  bounds?: RouteBounds,
];

/**
 * The policy page: every endpoint, one row each, and what it asks for. A new endpoint is a file beside this one and a row
 * here; the tests say what it still lacks. The words are explained in server/route-policy.ts and add-routes.ts. Bounds that
 * hold for every route are not repeated: `body_limit_bytes`, `request_timeout_ms`.
 *
 * Beside these there are, all open, the interface description (/openapi.json, /docs and the files of that page) and the page to
 * watch imports on (/imports and its files).
 */
// biome-ignore format: a table is read by its columns
const TABLE: readonly TableRow[] = [
  // Routes without a key.
  [['GET', 'POST', 'PUT', 'DELETE'], ['/hello', '/'], 'tenant', 'open', 'any',             'quick',   'no database', helloRoute],
  ['GET',  '/health/live',                            'tenant', 'open', 'none',            'quick',   'no database', liveRoute],
  ['GET',  '/health/ready',                           'tenant', 'open', 'none',            'quick',   'no database', readyRoute],

  // Routes that the SDKs call.
  ['GET',  '/apiversion',                             'app',    'key',  'none',            'quick',   'no database', apiVersionRoute],
  ['POST', '/recipe/user/passwordhash/import',        'tenant', 'key',  'json',            'quick',   'database',    importUserRoute],
  ['POST', '/recipe/user/passwordhash/verify',        'tenant', 'key',  'json',            'hashing', 'no database', verifyPasswordHashRoute],
  ['GET',  '/recipe/user/passwordhash/census',        'app',    'key',  'none',            'quick',   'database',    hashCensusRoute],
  ['POST', '/recipe/user/passwordhash/signer-keys',   'app',    'key',  'json',            'quick',   'no database', signerKeysRoute],
  ['POST', '/recipe/signinup',                        'tenant', 'key',  'json',            'quick',   'database',    thirdPartyUserRoute],
  ['POST', '/recipe/signin',                          'tenant', 'key',  'json',            'hashing', 'database',    signInRoute],
  ['POST', '/recipe/signup',                          'tenant', 'key',  'json',            'hashing', 'database',    signUpRoute],
  ['PUT',  '/recipe/user',                            'app',    'key',  'json',            'hashing', 'database',    updateUserRoute],
  ['GET',  '/user/id',                                'app',    'key',  'none',            'quick',   'database',    getUserRoute],
  ['GET',  '/users',                                  'tenant', 'key',  'none',            'quick',   'database',    listUsersRoute],
  ['GET',  '/users/count',                            'tenant', 'key',  'none',            'quick',   'database',    countUsersRoute],
  ['GET',  '/users/by-accountinfo',                   'tenant', 'key',  'none',            'quick',   'database',    usersByAccountInfoRoute],
  ['POST', '/user/remove',                            'app',    'key',  'json',            'quick',   'database',    removeUserRoute],

  // Bulk import.
  ['POST', '/bulk-import/stream',                     'app',    'key',  'ndjson stream',   'bulk',    'database',    importStreamRoute, STREAMS],
  ['GET',  '/bulk-import/imports',                    'app',    'key',  'none',            'quick',   'database',    listImportsRoute],
  ['GET',  '/bulk-import/imports/:importId',          'app',    'key',  'none',            'quick',   'database',    getImportRoute],
  ['GET',  '/bulk-import/imports/:importId/failures', 'app',    'key',  'none',            'quick',   'database',    listFailuresRoute],
  ['POST', '/bulk-import/imports/:importId/rollback', 'app',    'key',  'optional json',   'bulk',    'database',    rollBackImportRoute],
  ['POST', '/bulk-import/users',                      'app',    'key',  'json with users', 'bulk',    'database',    stageUsersRoute, STAGING],
  ['GET',  '/bulk-import/users',                      'app',    'key',  'none',            'quick',   'database',    listStagedUsersRoute],
  ['GET',  '/bulk-import/users/count',                'app',    'key',  'none',            'quick',   'database',    countStagedUsersRoute],
  ['POST', '/bulk-import/users/remove',               'app',    'key',  'json',            'quick',   'database',    removeStagedUsersRoute],
  ['POST', '/bulk-import/import',                     'app',    'key',  'json with users', 'quick',   'database',    importAtOnceRoute],
];

const listOf = <T extends string>(one: T | readonly T[]): readonly T[] =>
  typeof one === 'string' ? [one] : one;

export const ROUTES: readonly RouteRow[] = TABLE.map(
  ([method, path, level, key, body, work, storage, route, bounds = {}]) => ({
    methods: listOf(method),
    paths: listOf(path),
    level,
    key,
    body,
    work,
    storage,
    route,
    bounds,
  }),
);
