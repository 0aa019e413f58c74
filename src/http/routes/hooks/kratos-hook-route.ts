import { Type } from '@sinclair/typebox';
import { clientGone } from '../../server/connections.ts';
import { askerOf, defineHook } from './define-hook.ts';
import { HOOK_ERRORS, QuestionFields } from './hook-json.ts';

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
