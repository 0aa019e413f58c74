import { Type } from '@sinclair/typebox';
import { defineRoute } from '../define-route.ts';

export const hashCensusRoute = defineRoute({
  schema: {
    tags: ['users'],
    summary: 'Counts the password hashes by algorithm, class and origin',
    description:
      'Shows the progress of a migration: how many users still have which hash of the old system. Each instance counts in the background, at most once a minute; `countedAt` is the start of the count that is shown. If the first count is not finished, `hashes` is missing and `counting` is true.',
    response: {
      200: Type.Object({
        status: Type.Literal('OK'),
        counting: Type.Boolean({ description: 'Whether a newer count is in progress.' }),
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
                  '`strong`, `legacy`, `broken`; `unknown` if this instance does not know the algorithm; `none` for logins without a hash',
              }),
              setBy: Type.String({
                description:
                  '`import`; `user`: a password set here; `rehash`: the hash of an import, upgraded when its user signed in; `moved-in`: hashed here when the legacy system had verified the password',
              }),
              users: Type.Integer({ description: 'Number of password logins. Most users have one.' }),
              signedIn: Type.Integer({
                description: 'Number of these logins that have signed in with this hash.',
              }),
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
