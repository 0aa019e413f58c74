import { Type } from '@sinclair/typebox';
import type { FastifyRequest } from 'fastify';
import { AppError } from '../../../lib/errors.ts';
import { normalizeEmail } from '../../../users/email.ts';
import { findUsersByAccountInfo, MAX_FOUND } from '../../../users/find-users-by-account-info.ts';
import type { ThirdPartyIdentity } from '../../../users/user.ts';
import { EmailJson, IdentityJson } from '../../protocol/fields.ts';
import { QueryField, RequiredQueryField } from '../../protocol/query.ts';
import { UserJson, userJson } from '../../protocol/user-json.ts';
import { defineRoute } from '../define-route.ts';

function readMatch(doUnionOfAccountInfo: string): 'any' | 'all' {
  if (doUnionOfAccountInfo === 'true') return 'any';
  if (doUnionOfAccountInfo === 'false') return 'all';
  throw new AppError('QUERY_INVALID', "'doUnionOfAccountInfo' should be either 'true' or 'false'");
}

function readIdentity(id: string | undefined, userId: string | undefined): ThirdPartyIdentity | undefined {
  if (id !== undefined && userId !== undefined) return { id, userId };
  if (id === undefined && userId === undefined) return undefined;
  throw new AppError(
    'QUERY_INVALID',
    "If 'thirdPartyId' is provided, 'thirdPartyUserId' must also be provided, and vice versa",
  );
}

/** The legacy system is asked for callers who may create users, because the person whom it knows is created. */
const mayCreate = ({ apiKeyRights = [] }: Pick<FastifyRequest, 'apiKeyRights'>) =>
  apiKeyRights.includes('signin');

export const usersByAccountInfoRoute = defineRoute({
  schema: {
    tags: ['users'],
    summary: 'Finds users by e-mail, third-party identity or both',
    description: `With \`legacy_signin_for\` at \`unknown\`, an address without a user here is looked up in the legacy system first, if the API key has the right \`signin\`. Users are sorted by the time when they joined. The answer has at most ${MAX_FOUND} users, and fewer if they have thousands of login methods.`,
    querystring: Type.Object({
      doUnionOfAccountInfo: RequiredQueryField(
        '`true`: one condition is sufficient. `false`: all must hold for the same user.',
        Type.Boolean(),
      ),
      email: QueryField('E-mail address. Upper and lower case are equal.', EmailJson),
      thirdPartyId: QueryField('Together with thirdPartyUserId.', IdentityJson),
      thirdPartyUserId: QueryField('Together with thirdPartyId.', IdentityJson),
      phoneNumber: QueryField('Phone number. No user of this service has one.', Type.String()),
    }),
    response: {
      200: Type.Object({
        status: Type.Literal('OK'),
        users: Type.Array(UserJson),
        truncated: Type.Optional(Type.Literal(true, { description: 'There are more of them.' })),
      }),
    },
  },
  errors: ['LEGACY_UNAVAILABLE'],
  handler:
    ({ store, legacy }) =>
    async (request) => {
      const { email, thirdPartyId, thirdPartyUserId, phoneNumber } = request.query;
      const match = readMatch(request.query.doUnionOfAccountInfo);
      const thirdParty = readIdentity(thirdPartyId, thirdPartyUserId);
      const wanted = { ...(email !== undefined && { email }), ...(thirdParty && { thirdParty }) };
      const address = email === undefined ? undefined : normalizeEmail(email);
      if (address !== undefined && mayCreate(request)) await legacy?.lookUp(address);
      const { users, next } = await findUsersByAccountInfo(store, wanted, match, {
        unknowable: phoneNumber !== undefined,
      });
      return {
        status: 'OK' as const,
        users: users.map((user) => userJson(user, request.cdiVersion)),
        ...(next && { truncated: true as const }),
      };
    },
});
