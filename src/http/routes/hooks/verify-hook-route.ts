import { Type } from '@sinclair/typebox';
import { profileJson, userForProvider } from '../../../hooks/profile.ts';
import { clientGone } from '../../server/connections.ts';
import { AsText } from '../define-route.ts';
import { askerOf, defineHook } from './define-hook.ts';
import { HOOK_ERRORS, ProviderUser, QuestionFields, VerdictStatus } from './hook-json.ts';

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
