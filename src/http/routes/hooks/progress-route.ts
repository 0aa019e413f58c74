import { Type } from '@sinclair/typebox';
import { QueryField, readLimit } from '../../protocol/query.ts';
import { defineRoute } from '../define-route.ts';

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
      const most = readLimit(limit, { most: MAX_PAGE, tooMany: `max limit allowed is ${MAX_PAGE}` });
      return { status: 'OK' as const, logins: await moved.waiting(after, most) };
    },
});
