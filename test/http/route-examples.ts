import type { TSchema } from '@sinclair/typebox';
import { endpointsOf, type RouteMethod, type RouteRow } from '../../src/http/routes/define-route.ts';
import { ROUTES } from '../../src/http/routes/index.ts';
import { IS_CITUS } from '../support/citus.ts';
import { BCRYPT } from '../support/example-hashes.ts';
import { NDJSON, ndjson } from '../support/ndjson.ts';
import { IMPORT, VERIFY } from '../support/service-calls.ts';

interface Example {
  /** Query string, if the endpoint requires one. */
  query?: string;
  body?: Record<string, unknown>;
}

let made = 0;
/** Returns a user that does not exist yet. */
const newUser = () => {
  made += 1;
  return {
    loginMethods: [{ recipeId: 'emailpassword', email: `new-${made}@b.c`, passwordHash: BCRYPT.hash }],
  };
};

/**
 * A request for each endpoint that is answered with 200, however often it is sent. The generic tests
 * (routes/index.test.ts, server/*.test.ts) use them. An endpoint that requires neither a body nor a query
 * needs no entry.
 */
const EXAMPLES: Readonly<Record<string, Example>> = {
  [`POST ${IMPORT}`]: { body: { email: 'a@b.c', passwordHash: BCRYPT.hash, hashingAlgorithm: 'bcrypt' } },
  [`POST ${VERIFY}`]: {
    body: { passwordHash: BCRYPT.hash, hashingAlgorithm: 'bcrypt', password: BCRYPT.password },
  },
  'POST /recipe/user/passwordhash/signer-keys': { body: { nonce: 'AAECAwQFBgcICQoLDA0ODw==' } },
  'POST /recipe/signin': { body: { email: 'a@b.c', password: 'old password' } },
  'POST /recipe/signup': { body: { email: 'taken@b.c', password: 'any' } },
  'POST /recipe/signinup': {
    body: { thirdPartyId: 'google', thirdPartyUserId: '1', email: { id: 'a@b.c', isVerified: true } },
  },
  'PUT /recipe/user': { body: { recipeUserId: 'nobody', email: 'a@b.c', password: 'new password' } },
  'PUT /recipe/user/disabled': { body: { userId: 'nobody', disabled: true } },
  'GET /recipe/user/factors': { query: '?userId=x' },
  'GET /user/id': { query: '?userId=x' },
  'GET /recipe/user/metadata': { query: '?userId=x' },
  'GET /recipe/userid/map': { query: '?userId=x' },
  'GET /users/by-accountinfo': { query: '?doUnionOfAccountInfo=true&email=a@b.c' },
  'POST /user/remove': { body: { userId: 'nobody', removeAllLinkedAccounts: true } },
  'POST /hooks/hash': {
    body: { passwordHash: BCRYPT.hash, hashingAlgorithm: 'bcrypt', password: BCRYPT.password },
  },
  'POST /hooks/verify': { body: { identifier: 'nobody@b.c', password: 'any', waits: true } },
  'POST /hooks/lookup': { body: { identifier: 'nobody@b.c' } },
  'POST /hooks/changed': { body: { identifier: 'nobody@b.c' } },
  'POST /hand-over': { body: { dryRun: true, unlinked: false } },
  'POST /bulk-import/users': {
    get body() {
      return { users: [newUser()] };
    },
  },
  'POST /bulk-import/users/remove': { body: { ids: ['018f6e7a-0000-7000-8000-000000000000'] } },
  'POST /bulk-import/import': {
    get body() {
      return newUser();
    },
  },
};

export interface Endpoint {
  row: RouteRow;
  method: RouteMethod;
  /** Path as in the route table. */
  path: string;
  /** URL with a value for each parameter, and the required query. */
  url: string;
  /** Returns a new request. Throws if there is no example. */
  example(): { body: unknown; headers: Record<string, string | undefined> };
}

export const ENDPOINTS: readonly Endpoint[] = ROUTES.flatMap((row) =>
  endpointsOf(row).map(({ method, url: path }) => ({
    row,
    method,
    path,
    url: path.replace(/:\w+/g, 'none') + (EXAMPLES[`${method} ${path}`]?.query ?? ''),
    example: () => exampleOf(row, `${method} ${path}`),
  })),
);

/** `rehearse` answers 204, and is tested in test/hooks/rehearsal.test.ts. */
const OF_PROVIDERS: readonly (string | undefined)[] = ['kratos', 'keycloak', 'okta', 'rehearse'];

export function isOfProvider({ hook }: RouteRow): boolean {
  return OF_PROVIDERS.includes(hook);
}

/**
 * The endpoints that the test database can serve: there are no exports of distributed tables. Hooks in the form of a
 * provider are left out, because their errors are no JSON (test/hooks/hooks.test.ts).
 */
export const SERVED = ENDPOINTS.filter(
  ({ path, row }) => (!IS_CITUS || path !== '/bulk-export/stream') && !isOfProvider(row),
);

function exampleOf({ body: kind, route }: RouteRow, endpoint: string): ReturnType<Endpoint['example']> {
  if (kind === 'ndjson stream') return { body: ndjson(newUser()), headers: { 'content-type': NDJSON } };
  const { body, query } = EXAMPLES[endpoint] ?? {};
  const needsBody = kind === 'json' || kind === 'json with users';
  const needsQuery = requiredOf(route.schema.querystring).length > 0;
  if ((needsBody && body === undefined) || (needsQuery && query === undefined)) {
    const missing = needsBody ? 'body' : 'query';
    throw new Error(`Add to test/http/route-examples.ts a ${missing} with which ${endpoint} answers 200`);
  }
  return { body, headers: {} };
}

const requiredOf = (schema: unknown): string[] => (schema as TSchema | undefined)?.required ?? [];

export interface BodyRoute {
  method: 'POST' | 'PUT';
  path: string;
  /** Maximum size of a body, in bytes. */
  limitBytes: number;
  /** Body that is answered with 200. */
  body: Record<string, unknown>;
  texts: string[];
  flags: string[];
  /** Required members, as paths. */
  required: string[];
}

const DEFAULT_LIMIT_BYTES = 1_048_576;

/** Every endpoint with a JSON object as body, with what its schema says of the members. */
export const BODY_ROUTES: readonly BodyRoute[] = ENDPOINTS.flatMap(({ row, method, path }) => {
  const body = EXAMPLES[`${method} ${path}`]?.body;
  // If there is no example, the tests of the route table fail with a message.
  if (row.body !== 'json' || body === undefined) return [];
  const members = membersOf(row.route.schema.body as TSchema);
  const pathsOf = (isMeant: (member: Member) => boolean) => members.filter(isMeant).map((one) => one.path);
  return {
    method: method as 'POST' | 'PUT',
    path,
    limitBytes: row.bounds?.fixedLimitBytes ?? DEFAULT_LIMIT_BYTES,
    body,
    texts: pathsOf(({ type }) => type === 'string'),
    flags: pathsOf(({ type }) => type === 'boolean'),
    required: pathsOf(({ isRequired }) => isRequired),
  };
});

interface Member {
  path: string;
  type: unknown;
  isRequired: boolean;
}

function membersOf(schema: TSchema, within = ''): Member[] {
  return Object.entries<TSchema>(schema.properties ?? {}).flatMap(([name, member]) => [
    { path: within + name, type: member.type, isRequired: requiredOf(schema).includes(name) },
    ...membersOf(member, `${within}${name}.`),
  ]);
}
