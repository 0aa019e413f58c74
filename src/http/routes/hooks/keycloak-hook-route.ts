import { Type } from '@sinclair/typebox';
import type { Whom } from '../../../hooks/password-hooks.ts';
import { keycloakProfile, userForProvider } from '../../../hooks/profile.ts';
import { PasswordField } from '../../protocol/fields.ts';
import { clientGone } from '../../server/connections.ts';
import { AsText } from '../define-route.ts';
import { askerOf, defineHook } from './define-hook.ts';
import { HOOK_ERRORS, ProviderUser } from './hook-json.ts';

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
