import { Type } from '@sinclair/typebox';
import { profileJson, userForProvider } from '../../../hooks/profile.ts';
import { AsText } from '../define-route.ts';
import { defineHook } from './define-hook.ts';
import { HOOK_ERRORS, IdentifierField, ProviderUser } from './hook-json.ts';

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
