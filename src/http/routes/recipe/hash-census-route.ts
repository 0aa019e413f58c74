import { Type } from '@sinclair/typebox';
import { defineRoute } from '../define-route.ts';

export const hashCensusRoute = defineRoute({
  schema: {
    tags: ['users'],
    summary: 'Counts the password hashes, by algorithm, class and who set them',
    description:
      'Tells how far a migration has come: who still has which hash of the old system. The count is made in the background, at most once a minute for each instance; `countedAt` is when the one shown began. The first call may come too early for one: then there is no `hashes`, and `counting` is true.',
    response: {
      200: Type.Object({
        status: Type.Literal('OK'),
        counting: Type.Boolean({ description: 'A newer count is under way.' }),
        countedAt: Type.Optional(Type.Integer({ description: 'ms since the epoch' })),
        durationMs: Type.Optional(Type.Integer()),
        hashes: Type.Optional(
          Type.Array(
            Type.Object({
              hashingAlgorithm: Type.String({
                description:
                  'For logins without a hash: `unset` (the password can only be reset) or `waiting` (the legacy system verifies it at the first sign-in).',
              }),
              class: Type.String({
                description:
                  '`strong`, `legacy`, `broken`; `unknown` where this instance does not know the algorithm; `none` for logins without a hash',
              }),
              setBy: Type.String({
                description:
                  '`import`; `user`: a password set here; `rehash`: the hash of an import, upgraded when its user signed in; `moved-in`: hashed here when the legacy system had verified the password',
              }),
              users: Type.Integer({ description: 'Password logins; a user has one of them as a rule.' }),
              signedIn: Type.Integer({ description: 'Of them: those who have signed in with this hash.' }),
            }),
          ),
        ),
      }),
    },
  },
  handler:
    ({ census }) =>
    async () => {
      const { latest, isCounting } = await census.read();
      return {
        status: 'OK' as const,
        counting: isCounting,
        ...(latest && {
          countedAt: latest.countedAtMs,
          durationMs: latest.durationMs,
          hashes: latest.groups.map(({ algorithm, strength, setBy, logins, signedIn }) => ({
            hashingAlgorithm: algorithm,
            class: strength,
            setBy,
            users: logins,
            signedIn,
          })),
        }),
      };
    },
});
