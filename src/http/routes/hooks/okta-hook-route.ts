import { Type } from '@sinclair/typebox';
import { PasswordField } from '../../protocol/fields.ts';
import { clientGone } from '../../server/connections.ts';
import { askerOf, defineHook } from './define-hook.ts';
import { HOOK_ERRORS, IdentifierField } from './hook-json.ts';

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
