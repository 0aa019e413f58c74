import { Type } from '@sinclair/typebox';
import type { UserFactors } from '../../../users/user.ts';
import { AnyIdField } from '../../protocol/fields.ts';
import { FactorsJson } from '../../protocol/user-payload.ts';
import { defineRoute } from '../define-route.ts';

const NONE: UserFactors = { totpDevices: [], userRoles: [], phoneNumbers: [] };

export const getFactorsRoute = defineRoute({
  schema: {
    tags: ['users'],
    summary: 'Returns the TOTP devices, roles and phone numbers that were imported with a user',
    description:
      'The data is kept for the next system; nothing here enforces it. The answer has secrets from which one-time passwords of the user can be computed. The id is a user id, recipe user id or external id. For a user without such data and for an unknown id, the lists are empty.',
    querystring: Type.Object({ userId: AnyIdField }),
    response: {
      200: Type.Object({ status: Type.Literal('OK'), factors: FactorsJson }),
    },
  },
  errors: ['FACTORS_SECRET_MISSING'],
  handler:
    ({ store, vault }) =>
    async ({ query: { userId } }) => {
      const found = await store.findFactors(userId);
      const { totpDevices, userRoles, phoneNumbers } =
        found === undefined ? NONE : vault.open(found.userId, found.sealed);
      const factors = {
        totpDevices: [...totpDevices],
        userRoles: [...userRoles],
        phoneNumbers: [...phoneNumbers],
      };
      return { status: 'OK' as const, factors };
    },
});
