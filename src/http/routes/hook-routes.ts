import { Type } from '@sinclair/typebox';
import type { Whom } from '../../hooks/password-hooks.ts';
import { keycloakProfile, profileJson, userForProvider } from '../../hooks/profile.ts';
import { AppError, type ErrorCode } from '../../lib/errors.ts';
import { isPostgresText } from '../../lib/text/characters.ts';
import {
  AlgorithmField,
  HASH_ERRORS,
  PasswordField,
  PasswordHashField,
  SecretIdField,
  text,
} from '../protocol/fields.ts';
import { QueryField, readLimit } from '../protocol/query.ts';
import { FactorsJson, PROFILE_MEMBERS } from '../protocol/user-payload.ts';
import { clientGone } from '../server/connections.ts';
import { askerOf, defineHook } from './define-hook.ts';
import { AsText, defineRoute } from './define-route.ts';

const HOOK_ERRORS: readonly ErrorCode[] = ['HOOKS_ENDED', 'HOOK_LIMIT', 'HOOK_TIMEOUT', 'OVERLOADED'];

const VerdictStatus = Type.String({ enum: ['MATCH', 'NO_MATCH'] });

const Verdict = Type.Object({ status: VerdictStatus });

/** Any text, as the user has typed it: one that is no address belongs to nobody. */
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
  externalUserId: Type.Optional(ExternalIdField),
};

const ProviderUser = Type.Object({
  id: Type.String(),
  externalUserId: Type.Optional(Type.String()),
  email: Type.String(),
  isVerified: Type.Boolean(),
  roles: Type.Array(Type.String()),
  totpDevices: Type.Optional(FactorsJson.properties.totpDevices),
  userMetadata: Type.Optional(PROFILE_MEMBERS.userMetadata),
});

export const hashHookRoute = defineHook({
  hook: 'hash',
  fault: 'json',
  schema: {
    tags: ['hooks'],
    summary: 'Checks a password with a hash that an identity provider holds',
    description:
      'For a provider with a function or SPI of its own. Without hashingAlgorithm the format decides; a hash that several families claim is refused. Nothing is recorded.',
    body: Type.Object({
      passwordHash: PasswordHashField,
      hashingAlgorithm: Type.Optional(AlgorithmField),
      hashingSecretId: Type.Optional(SecretIdField),
      password: PasswordField,
    }),
    response: { 200: Verdict },
  },
  errors: [...HASH_ERRORS, ...HOOK_ERRORS],
  handler:
    ({ hooks }) =>
    async (request, reply) => {
      const { algorithm, matches } = await hooks.verifyHash(request.body, clientGone(reply));
      request.hashAlgorithm = algorithm;
      return { status: matches ? 'MATCH' : 'NO_MATCH' };
    },
});

export const rehearseHookRoute = defineHook({
  hook: 'rehearse',
  fault: 'json',
  schema: {
    tags: ['hooks'],
    summary: 'Takes a sign-in at the old system, to count in the background who would get in here',
    description: 'Answers at once. Nothing of it is stored. GET /hooks/rehearsal has the counts.',
    body: Type.Object({
      identifier: IdentifierField,
      password: PasswordField,
      wasRight: Type.Boolean({ description: 'Whether the old system accepted the password.' }),
    }),
    response: { 204: Type.Null() },
  },
  handler:
    ({ rehearsal }) =>
    async (request, reply) => {
      rehearsal.add(request.body);
      return reply.code(204).send(null);
    },
});

export const rehearsalRoute = defineRoute({
  schema: {
    tags: ['hooks'],
    summary: 'Counts rehearsed sign-ins since this instance started',
    response: {
      200: Type.Object({
        status: Type.Literal('OK'),
        groups: Type.Array(
          Type.Object({
            algorithm: Type.String(),
            importId: Type.Optional(Type.String()),
            matches: Type.Integer(),
            causes: Type.Record(Type.String(), Type.Integer(), {
              description: 'Mismatches by cause: a code of docs/hash-reference.md, DISABLED, or unknown.',
            }),
          }),
        ),
        unknown: Type.Integer({ description: 'People who are not here, or have no hash.' }),
        alarms: Type.Integer({ description: 'Passwords that were wrong in the old system, and match here.' }),
        wrongInBoth: Type.Integer(),
        dropped: Type.Integer({
          description: 'Not rehearsed, because the service was busy, or within the hour.',
        }),
      }),
    },
  },
  handler:
    ({ rehearsal }) =>
    async () => ({ status: 'OK' as const, ...rehearsal.report() }),
});

export const verifyHookRoute = defineHook({
  hook: 'verify',
  fault: 'json',
  schema: {
    tags: ['hooks'],
    summary: 'Checks the old password of a user, for a script of an identity provider',
    description:
      'The first match moves the user: afterwards the provider has the password, and the old one no longer matches. The answer is the same for a wrong password, an unknown address, a disabled user, a user without a hash, and a user who has moved.',
    body: Type.Object({
      ...QuestionFields,
      waits: Type.Optional(
        Type.Boolean({
          default: false,
          description:
            "The caller has seen the provider's own mark that the user has no password there yet, so the user may be asked about again.",
        }),
      ),
    }),
    response: {
      200: AsText(
        Type.Object({
          status: VerdictStatus,
          user: Type.Optional(ProviderUser),
        }),
      ),
    },
  },
  errors: [...HOOK_ERRORS, 'FACTORS_SECRET_MISSING'],
  handler: (deps) => async (request, reply) => {
    const { waits = false, ...question } = request.body;
    const { hooks, hookProfiles } = deps;
    const asked = { ...question, asksWhileWaiting: waits, by: askerOf(request, 'verify') };
    const user = await hooks.verify(asked, clientGone(reply), async (found) =>
      profileJson(await userForProvider({ ...deps, withFactors: hookProfiles.factors }, found)),
    );
    void reply.type('application/json; charset=utf-8');
    if (user === undefined) return reply.send('{"status":"NO_MATCH"}');
    return reply.send(`{"status":"MATCH","user":${user}}`);
  },
});

export const lookupHookRoute = defineHook({
  hook: 'verify',
  fault: 'json',
  schema: {
    tags: ['hooks'],
    summary: 'Returns the profile of a user, before a sign-up or a reset of the password at the provider',
    description: 'Without password_hooks_profiles, nobody is known.',
    body: Type.Object({ identifier: IdentifierField }),
    response: {
      200: AsText(
        Type.Object({
          status: Type.String({ enum: ['OK', 'UNKNOWN'] }),
          user: Type.Optional(ProviderUser),
        }),
      ),
    },
  },
  errors: [...HOOK_ERRORS, 'FACTORS_SECRET_MISSING'],
  handler: (deps) => async (request, reply) => {
    const { hooks, hookProfiles } = deps;
    // Nobody is looked up in vain, because the time would show who is there.
    const found = hookProfiles.served ? await hooks.lookup(request.body) : undefined;
    void reply.type('application/json; charset=utf-8');
    if (found === undefined) return reply.send('{"status":"UNKNOWN"}');
    const profile = await userForProvider({ ...deps, withFactors: hookProfiles.factors }, found);
    return reply.send(`{"status":"OK","user":${profileJson(profile)}}`);
  },
});

export const changedHookRoute = defineHook({
  hook: 'verify',
  fault: 'json',
  schema: {
    tags: ['hooks'],
    summary: 'Voids the old password of a user who has a new one at the provider',
    description: 'The hash is deleted. The answer is the same for an unknown user.',
    body: Type.Object(
      { identifier: Type.Optional(IdentifierField), externalUserId: Type.Optional(ExternalIdField) },
      { anyOf: [{ required: ['identifier'] }, { required: ['externalUserId'] }] },
    ),
    response: { 200: Type.Object({ status: Type.Literal('OK') }) },
  },
  errors: HOOK_ERRORS,
  handler:
    ({ hooks }) =>
    async (request) => {
      await hooks.changed(request.body, askerOf(request, 'verify'));
      return { status: 'OK' as const };
    },
});

/** Kratos takes 403 for a wrong password, and repeats a call that was answered 429 or 5xx. */
export const kratosHookRoute = defineHook({
  hook: 'kratos',
  fault: 'no body',
  schema: {
    tags: ['hooks'],
    summary: 'Answers the password migration hook of Ory Kratos',
    body: Type.Object(QuestionFields),
    response: {
      200: Type.Object({ status: Type.Literal('password_match') }),
      403: Type.Object({}, { description: 'The password does not match.' }),
    },
  },
  errors: HOOK_ERRORS,
  handler:
    ({ hooks }) =>
    async (request, reply) => {
      const asked = { ...request.body, asksWhileWaiting: true, by: askerOf(request, 'kratos') };
      const user = await hooks.verify(asked, clientGone(reply));
      return user === undefined ? reply.code(403).send({}) : { status: 'password_match' as const };
    },
});

const LoginField = Type.Object({
  login: Type.String({ description: 'An address if it has an @, otherwise an id.' }),
});

const whomOf = ({ login }: { login: string }): Whom =>
  login.includes('@') ? { identifier: login } : { userId: login };

/** The plugin keycloak-user-migration takes every status but 200 for a wrong password. */
export const keycloakHookRoute = defineHook({
  hook: 'keycloak',
  fault: 'closed connection',
  schema: {
    tags: ['hooks'],
    summary: 'Checks a password for the plugin keycloak-user-migration of Keycloak',
    params: LoginField,
    body: Type.Object({ password: PasswordField }),
    response: {
      200: Type.Object({}),
      401: Type.Object({}, { description: 'The password does not match.' }),
    },
  },
  errors: HOOK_ERRORS,
  handler:
    ({ hooks }) =>
    async (request, reply) => {
      const asked = {
        ...whomOf(request.params),
        ...{ password: request.body.password, asksWhileWaiting: true, by: askerOf(request, 'keycloak') },
      };
      const user = await hooks.verify(asked, clientGone(reply));
      return user === undefined ? reply.code(401).send({}) : {};
    },
});

export const keycloakUserRoute = defineHook({
  hook: 'keycloak',
  fault: 'closed connection',
  schema: {
    tags: ['hooks'],
    summary: 'Returns a user to the plugin keycloak-user-migration, which then creates the user',
    description: 'Without password_hooks_profiles, nobody is known.',
    params: LoginField,
    response: {
      200: AsText(ProviderUser),
      404: AsText(Type.Object({}, { description: 'Nobody has this login, or profiles are not served.' })),
    },
  },
  errors: [...HOOK_ERRORS, 'FACTORS_SECRET_MISSING'],
  handler: (deps) => async (request, reply) => {
    const { hooks, hookProfiles } = deps;
    const found = hookProfiles.served ? await hooks.lookup(whomOf(request.params)) : undefined;
    if (found === undefined) return reply.code(404).send('{}');
    const profile = await userForProvider({ ...deps, withFactors: hookProfiles.factors }, found);
    return reply.type('application/json; charset=utf-8').send(keycloakProfile(profile));
  },
});

const Credential = Type.Object({ username: IdentifierField, password: PasswordField });

/** Follows Okta's documentation, and was not tried. Okta repeats a call that was answered 5xx. */
export const oktaHookRoute = defineHook({
  hook: 'okta',
  fault: 'no body',
  schema: {
    tags: ['hooks'],
    summary: 'Answers the password import inline hook of Okta',
    body: Type.Object({
      eventType: Type.Literal('com.okta.user.credential.password.import'),
      data: Type.Object({ context: Type.Object({ credential: Credential }) }),
    }),
    response: {
      200: Type.Object({
        commands: Type.Array(
          Type.Object({
            type: Type.Literal('com.okta.action.update'),
            value: Type.Object({
              credential: Type.Union([Type.Literal('VERIFIED'), Type.Literal('UNVERIFIED')]),
            }),
          }),
        ),
      }),
    },
  },
  errors: HOOK_ERRORS,
  handler:
    ({ hooks }) =>
    async (request, reply) => {
      const { username: identifier, password } = request.body.data.context.credential;
      const asked = { identifier, password, asksWhileWaiting: true, by: askerOf(request, 'okta') };
      const user = await hooks.verify(asked, clientGone(reply));
      const credential = user === undefined ? ('UNVERIFIED' as const) : ('VERIFIED' as const);
      return { commands: [{ type: 'com.okta.action.update' as const, value: { credential } }] };
    },
});

const MAX_PAGE = 1000;

export const hookProgressRoute = defineRoute({
  schema: {
    tags: ['hooks'],
    summary: 'Counts who waits to move to an identity provider, and who has moved',
    response: {
      200: Type.Object({
        status: Type.Literal('OK'),
        waiting: Type.Integer({ description: 'Logins with a hash that no hook has matched.' }),
        askedAgain: Type.Integer({
          description: 'Further matches of logins that have moved: the provider has not stored the password.',
        }),
        moved: Type.Array(
          Type.Object({
            keyName: Type.String(),
            day: Type.String({ description: 'UTC' }),
            algorithm: Type.String(),
            state: Type.String({ enum: ['moved', 'changed', 'gone'] }),
            logins: Type.Integer(),
          }),
        ),
      }),
    },
  },
  handler:
    ({ moved }) =>
    async () => ({ status: 'OK' as const, ...(await moved.progress()) }),
});

export const waitingLoginsRoute = defineRoute({
  schema: {
    tags: ['hooks'],
    summary: 'Lists logins that wait to move to an identity provider',
    querystring: Type.Object({
      after: QueryField('Last address of the page before.', Type.String({ maxLength: 256 })),
      limit: QueryField('Logins a page.', Type.Integer({ minimum: 1, maximum: MAX_PAGE, default: MAX_PAGE })),
    }),
    response: {
      200: Type.Object({
        status: Type.Literal('OK'),
        logins: Type.Array(
          Type.Object({
            email: Type.String(),
            externalUserId: Type.Optional(Type.String()),
            algorithm: Type.String(),
          }),
        ),
      }),
    },
  },
  handler:
    ({ moved }) =>
    async ({ query: { after = '', limit = String(MAX_PAGE) } }) => {
      if (!isPostgresText(after))
        throw new AppError('QUERY_INVALID', "Field name 'after' is invalid in query: it has a NUL character");
      const most = readLimit(limit, { most: MAX_PAGE, tooMany: `max limit allowed is ${MAX_PAGE}` });
      return { status: 'OK' as const, logins: await moved.waiting(after, most) };
    },
});
