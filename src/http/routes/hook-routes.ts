import { Type } from '@sinclair/typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Asker, type Hook, movesUsers } from '../../hooks/moves.ts';
import type { Whom } from '../../hooks/password-hooks.ts';
import { keycloakProfile, profileJson, type UserForProvider, userForProvider } from '../../hooks/profile.ts';
import { AppError, type ErrorCode } from '../../lib/errors.ts';
import { isPostgresText } from '../../lib/text/characters.ts';
import type { RouteDeps } from '../context.ts';
import { HASH_ERRORS, HASH_FIELDS, PasswordField, text } from '../protocol/fields.ts';
import { QueryField, readLimit } from '../protocol/query.ts';
import { flag, integer, ok, okOr, oneOf, optional, string } from '../protocol/schema.ts';
import { FactorsJson, PROFILE_MEMBERS } from '../protocol/user-payload.ts';
import { clientGone } from '../server/connections.ts';
import { defineRoute, sendJsonText } from './define-route.ts';

const HOOK_ERRORS: readonly ErrorCode[] = ['HOOKS_ENDED', 'HOOK_LIMIT', 'HOOK_TIMEOUT', 'OVERLOADED'];

const Verdict = { status: oneOf(['MATCH', 'NO_MATCH']) };

/** Any text, as the user has typed it. Text that is not an address belongs to nobody. */
const IdentifierField = text({
  maxLength: 16_384,
  description: 'E-mail address of the login, normalised as in an import.',
});

const ExternalIdField = text({
  maxLength: 16_384,
  description: 'Id at the provider. A password matches only if the login has this external id.',
});

const QuestionFields = {
  identifier: IdentifierField,
  password: PasswordField,
  externalUserId: optional(ExternalIdField),
};

const ProviderUser = Type.Object({
  id: Type.String(),
  externalUserId: optional(Type.String()),
  email: Type.String(),
  isVerified: Type.Boolean(),
  roles: Type.Array(Type.String()),
  totpDevices: optional(FactorsJson.properties.totpDevices),
  userMetadata: optional(PROFILE_MEMBERS.userMetadata),
});

const askerOf = (request: FastifyRequest, hook: Hook): Asker => ({
  hook,
  keyName: request.apiKeyName ?? '',
});

export const hashHookRoute = defineRoute({
  tags: ['hooks'],
  summary: 'Checks a password with a hash that an identity provider holds',
  description:
    'For a provider with a function or SPI of its own. Without hashingAlgorithm the format decides; a hash that several families claim is refused. Nothing is recorded.',
  body: Type.Object({ ...HASH_FIELDS, password: PasswordField }),
  answer: Type.Object(Verdict),
  errors: [...HASH_ERRORS, ...HOOK_ERRORS],
}).handle(async (request, { hooks }, reply) => {
  const { algorithm, matches } = await hooks.verifyHash(request.body, clientGone(reply));
  request.hashAlgorithm = algorithm;
  return { status: matches ? 'MATCH' : 'NO_MATCH' };
});

export const rehearseHookRoute = defineRoute({
  tags: ['hooks'],
  summary: 'Takes a sign-in at the old system, to count in the background who would get in here',
  description: 'Answers at once. Nothing of it is stored. GET /hooks/rehearsal has the counts.',
  body: Type.Object({
    identifier: IdentifierField,
    password: PasswordField,
    wasRight: flag('Whether the old system accepted the password.'),
  }),
  otherAnswers: { 204: Type.Null() },
}).handle(async (request, { rehearsal }, reply) => {
  rehearsal.add(request.body);
  return reply.code(204).send(null);
});

export const rehearsalRoute = defineRoute({
  tags: ['hooks'],
  summary: 'Counts rehearsed sign-ins since this instance started',
  answer: ok({
    groups: Type.Array(
      Type.Object({
        algorithm: Type.String(),
        importId: optional(Type.String()),
        matches: Type.Integer(),
        causes: Type.Record(Type.String(), Type.Integer(), {
          description: 'Mismatches by cause: a code of docs/hash-reference.md, DISABLED, or unknown.',
        }),
      }),
    ),
    unknown: integer('People who are not here, or have no hash.'),
    alarms: integer('Passwords that were wrong in the old system, and match here.'),
    wrongInBoth: Type.Integer(),
    dropped: integer('Not rehearsed, because the service was busy, or within the hour.'),
  }),
}).handle(async (_request, { rehearsal }) => ({ status: 'OK', ...rehearsal.report() }));

export const verifyHookRoute = defineRoute({
  tags: ['hooks'],
  summary: 'Checks the old password of a user, for a script of an identity provider',
  description:
    'The first match moves the user: afterwards the provider has the password, and the old one no longer matches. The answer is the same for a wrong password, an unknown address, a disabled user, a user without a hash, and a user who has moved.',
  body: Type.Object({
    ...QuestionFields,
    waits: optional(
      flag(
        "The caller has seen the provider's own mark that the user has no password there yet, so the user may be asked about again.",
        { default: false },
      ),
    ),
  }),
  answer: Type.Object({ ...Verdict, user: optional(ProviderUser) }),
  errors: [...HOOK_ERRORS, 'FACTORS_SECRET_MISSING'],
}).handle(async (request, deps, reply) => {
  const { waits = false, ...question } = request.body;
  const { hooks, hookProfiles } = deps;
  const asked = { ...question, asksWhileWaiting: waits, by: askerOf(request, 'verify') };
  const user = await hooks.verify(asked, clientGone(reply), async (found) =>
    profileJson(await userForProvider({ ...deps, withFactors: hookProfiles.factors }, found)),
  );
  return user === undefined
    ? { status: 'NO_MATCH' }
    : sendJsonText(reply, `{"status":"MATCH","user":${user}}`);
});

/**
 * Returns the profile of a user if profiles are served. Otherwise nobody is looked up, because the duration of the
 * answer would show who is there.
 */
async function profileOf(whom: Whom, deps: RouteDeps): Promise<UserForProvider | undefined> {
  const { hooks, hookProfiles } = deps;
  const found = hookProfiles.served ? await hooks.lookup(whom) : undefined;
  return found && userForProvider({ ...deps, withFactors: hookProfiles.factors }, found);
}

export const lookupHookRoute = defineRoute({
  tags: ['hooks'],
  summary: 'Returns the profile of a user, before a sign-up or a reset of the password at the provider',
  description: 'Without password_hooks_profiles, nobody is known.',
  body: Type.Object({ identifier: IdentifierField }),
  answer: okOr(['UNKNOWN'], { user: ProviderUser }),
  errors: [...HOOK_ERRORS, 'FACTORS_SECRET_MISSING'],
}).handle(async ({ body }, deps, reply) => {
  const profile = await profileOf(body, deps);
  if (profile === undefined) return { status: 'UNKNOWN' };
  return sendJsonText(reply, `{"status":"OK","user":${profileJson(profile)}}`);
});

export const changedHookRoute = defineRoute({
  tags: ['hooks'],
  summary: 'Voids the old password of a user who has a new one at the provider',
  description: 'The hash is deleted. The answer is the same for an unknown user.',
  body: Type.Object(
    { identifier: optional(IdentifierField), externalUserId: optional(ExternalIdField) },
    { anyOf: [{ required: ['identifier'] }, { required: ['externalUserId'] }] },
  ),
  answer: ok({}),
  errors: HOOK_ERRORS,
}).handle(async (request, { hooks }) => {
  await hooks.changed(request.body, askerOf(request, 'verify'));
  return { status: 'OK' };
});

type Call = [request: FastifyRequest, deps: RouteDeps, reply: FastifyReply];

/**
 * Returns whether the password matches. `asksWhileWaiting` is true, because these providers ask only as long as they
 * have no password of the user.
 */
async function isMatch(hook: Hook, question: Whom & { password: string }, [request, { hooks }, reply]: Call) {
  const asked = { ...question, asksWhileWaiting: true, by: askerOf(request, hook) };
  return (await hooks.verify(asked, clientGone(reply), async () => true)) === true;
}

const Mismatch = Type.Object({}, { description: 'The password does not match.' });

/** For Kratos, 403 means a wrong password. Kratos repeats a call that was answered with 429 or 5xx. */
export const kratosHookRoute = defineRoute({
  tags: ['hooks'],
  summary: 'Answers the password migration hook of Ory Kratos',
  body: Type.Object(QuestionFields),
  answer: Type.Object({ status: Type.Literal('password_match') }),
  otherAnswers: { 403: Mismatch },
  errors: HOOK_ERRORS,
}).handle(async (request, deps, reply) =>
  (await isMatch('kratos', request.body, [request, deps, reply]))
    ? { status: 'password_match' }
    : reply.code(403).send({}),
);

const LoginParams = Type.Object({ login: string('An address if it has an @, otherwise an id.') });

const whomOf = ({ login }: { login: string }): Whom =>
  login.includes('@') ? { identifier: login } : { userId: login };

/** For the plugin keycloak-user-migration, every status but 200 means a wrong password. */
export const keycloakHookRoute = defineRoute({
  tags: ['hooks'],
  summary: 'Checks a password for the plugin keycloak-user-migration of Keycloak',
  params: LoginParams,
  body: Type.Object({ password: PasswordField }),
  answer: Type.Object({}),
  otherAnswers: { 401: Mismatch },
  errors: HOOK_ERRORS,
}).handle(async (request, deps, reply) => {
  const question = { ...whomOf(request.params), password: request.body.password };
  return (await isMatch('keycloak', question, [request, deps, reply])) ? {} : reply.code(401).send({});
});

export const keycloakUserRoute = defineRoute({
  tags: ['hooks'],
  summary: 'Returns a user to the plugin keycloak-user-migration, which then creates the user',
  description: 'Without password_hooks_profiles, nobody is known.',
  params: LoginParams,
  answer: ProviderUser,
  otherAnswers: {
    404: Type.Object({}, { description: 'Nobody has this login, or profiles are not served.' }),
  },
  errors: [...HOOK_ERRORS, 'FACTORS_SECRET_MISSING'],
}).handle(async ({ params }, deps, reply) => {
  const profile = await profileOf(whomOf(params), deps);
  return profile ? sendJsonText(reply, keycloakProfile(profile)) : reply.code(404).send({});
});

const Credential = Type.Object({ username: IdentifierField, password: PasswordField });

/**
 * This route follows Okta's documentation, and was not tried with Okta. Okta repeats a call that was answered with 5xx.
 */
export const oktaHookRoute = defineRoute({
  tags: ['hooks'],
  summary: 'Answers the password import inline hook of Okta',
  body: Type.Object({
    eventType: Type.Literal('com.okta.user.credential.password.import'),
    data: Type.Object({ context: Type.Object({ credential: Credential }) }),
  }),
  answer: Type.Object({
    commands: Type.Array(
      Type.Object({
        type: Type.Literal('com.okta.action.update'),
        value: Type.Object({
          credential: Type.Union([Type.Literal('VERIFIED'), Type.Literal('UNVERIFIED')]),
        }),
      }),
    ),
  }),
  errors: HOOK_ERRORS,
}).handle(async (request, deps, reply) => {
  const { username: identifier, password } = request.body.data.context.credential;
  const isRight = await isMatch('okta', { identifier, password }, [request, deps, reply]);
  const value = { credential: isRight ? ('VERIFIED' as const) : ('UNVERIFIED' as const) };
  return { commands: [{ type: 'com.okta.action.update', value }] };
});

const MAX_PAGE = 1000;

export const hookProgressRoute = defineRoute({
  tags: ['hooks'],
  summary: 'Counts who waits to move to an identity provider, and who has moved',
  answer: ok({
    moving: flag('Whether a hook that moves users is served (`password_hooks`).'),
    waiting: integer('Logins with a hash that no hook has matched.'),
    askedAgain: integer(
      'Further matches of logins that have moved: the provider has not stored the password.',
    ),
    moved: Type.Array(
      Type.Object({
        keyName: Type.String(),
        day: string('UTC'),
        algorithm: Type.String(),
        state: oneOf(['moved', 'changed', 'gone']),
        logins: Type.Integer(),
      }),
    ),
  }),
}).handle(async (_request, { moved, servedHooks }) => ({
  status: 'OK',
  moving: [...servedHooks].some(movesUsers),
  ...(await moved.progress()),
}));

export const waitingLoginsRoute = defineRoute({
  tags: ['hooks'],
  summary: 'Lists logins that wait to move to an identity provider',
  query: Type.Object({
    after: QueryField('Last address of the page before.', Type.String({ maxLength: 256 })),
    limit: QueryField('Logins a page.', Type.Integer({ minimum: 1, maximum: MAX_PAGE, default: MAX_PAGE })),
  }),
  answer: ok({
    logins: Type.Array(
      Type.Object({
        email: Type.String(),
        externalUserId: optional(Type.String()),
        algorithm: Type.String(),
      }),
    ),
  }),
}).handle(async ({ query: { after = '', limit = String(MAX_PAGE) } }, { moved }) => {
  if (!isPostgresText(after))
    throw new AppError('QUERY_INVALID', "Field name 'after' is invalid in query: it has a NUL character");
  const most = readLimit(limit, { most: MAX_PAGE, tooMany: `max limit allowed is ${MAX_PAGE}` });
  return { status: 'OK', logins: await moved.waiting(after, most) };
});
