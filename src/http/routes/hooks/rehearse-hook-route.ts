import { Type } from '@sinclair/typebox';
import { PasswordField } from '../../protocol/fields.ts';
import { defineRoute } from '../define-route.ts';
import { defineHook } from './define-hook.ts';
import { IdentifierField } from './hook-json.ts';

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
