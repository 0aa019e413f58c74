import type { TSchema } from '@sinclair/typebox';
import { endpointsOf, type RouteMethod, type RouteRow } from '../../src/http/routes/add-routes.ts';
import { ROUTES } from '../../src/http/routes/index.ts';
import { BCRYPT } from '../support/example-hashes.ts';
import { NDJSON, ndjson } from '../support/ndjson.ts';
import { IMPORT, VERIFY } from '../support/service-calls.ts';

interface Example {
  /** Behind the path, where there is a query without which there is no answer. */
  query?: string;
  body?: Record<string, unknown>;
}

let made = 0;
/** A user nobody has seen before. */
const newUser = () => {
  made += 1;
  return {
    loginMethods: [{ recipeId: 'emailpassword', email: `new-${made}@b.c`, passwordHash: BCRYPT.hash }],
  };
};

/**
 * A request of each endpoint that is answered 200, however often it is sent. The generic tests (routes/index.test.ts,
 * server/*.test.ts) are made of them. What needs neither a body nor a query needs no line here.
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
  'GET /user/id': { query: '?userId=x' },
  'GET /users/by-accountinfo': { query: '?doUnionOfAccountInfo=true&email=a@b.c' },
  'POST /user/remove': { body: { userId: 'nobody', removeAllLinkedAccounts: true } },
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
  /** As its row has it. */
  path: string;
  /** With something for each parameter, and the query it needs. */
  url: string;
  /** What to send, anew at each call. Throws where there is no example. */
  example(): { body: unknown; headers: Record<string, string | undefined> };
}

/** Every endpoint of the policy page. */
export const ENDPOINTS: readonly Endpoint[] = ROUTES.flatMap((row) =>
  endpointsOf(row).map(({ method, url: path }) => ({
    row,
    method,
    path,
    url: path.replace(/:\w+/g, 'none') + (EXAMPLES[`${method} ${path}`]?.query ?? ''),
    example: () => exampleOf(row, `${method} ${path}`),
  })),
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
  /** Answered 200. */
  body: Record<string, unknown>;
  /** Members that hold text, as paths (`email.id`). */
  texts: string[];
  /** Members that hold true or false, as paths. */
  flags: string[];
  /** Members without which there is no answer, as paths. */
  required: string[];
}

/** Every endpoint whose body is a JSON object of known members, with what its schema says of them. */
export const BODY_ROUTES: readonly BodyRoute[] = ENDPOINTS.flatMap(({ row, method, path }) => {
  const body = EXAMPLES[`${method} ${path}`]?.body;
  // Without an example the tests of the policy page fail, and say so.
  if (row.body !== 'json' || body === undefined) return [];
  const members = membersOf(row.route.schema.body as TSchema);
  const pathsOf = (isMeant: (member: Member) => boolean) => members.filter(isMeant).map((one) => one.path);
  return {
    method: method as 'POST' | 'PUT',
    path,
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

/** The members of an object, and those of the objects within it. */
function membersOf(schema: TSchema, within = ''): Member[] {
  return Object.entries<TSchema>(schema.properties ?? {}).flatMap(([name, member]) => [
    { path: within + name, type: member.type, isRequired: requiredOf(schema).includes(name) },
    ...membersOf(member, `${within}${name}.`),
  ]);
}
