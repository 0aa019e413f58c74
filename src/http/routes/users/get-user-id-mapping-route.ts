import { Type } from '@sinclair/typebox';
import { AppError } from '../../../lib/errors.ts';
import { stripControlAndSpace } from '../../../lib/text/characters.ts';
import { findIdMapping, ID_TYPES, type IdType } from '../../../users/find-id-mapping.ts';
import { AnyIdField } from '../../protocol/fields.ts';
import { QueryField } from '../../protocol/query.ts';
import { defineRoute } from '../define-route.ts';

/** @throws {AppError} QUERY_INVALID with the text of SuperTokens core */
function readIdType(value = 'ANY'): IdType {
  const type = ID_TYPES.find((one) => one === value.trim());
  if (type !== undefined) return type;
  throw new AppError(
    'QUERY_INVALID',
    "Field name 'userIdType' should be one of 'SUPERTOKENS', 'EXTERNAL' or 'ANY'",
  );
}

export const getUserIdMappingRoute = defineRoute({
  schema: {
    tags: ['users'],
    summary: 'Finds the user id for an external id, or the external id for a user id',
    querystring: Type.Object({
      userId: AnyIdField,
      userIdType: QueryField(
        'Which kind of id is given.',
        Type.String({ enum: [...ID_TYPES], default: 'ANY' }),
      ),
    }),
    response: {
      200: Type.Object({
        status: Type.String({ enum: ['OK', 'UNKNOWN_MAPPING_ERROR'] }),
        superTokensUserId: Type.Optional(Type.String()),
        externalUserId: Type.Optional(Type.String()),
      }),
    },
  },
  handler:
    ({ store }) =>
    async ({ query: { userId, userIdType } }) => {
      const id = stripControlAndSpace(userId);
      if (id === '') throw new AppError('QUERY_INVALID', "Field name 'userId' cannot be an empty String");
      const mapping = await findIdMapping(store, id, readIdType(userIdType));
      if (mapping === undefined) return { status: 'UNKNOWN_MAPPING_ERROR' };
      return { status: 'OK', superTokensUserId: mapping.userId, externalUserId: mapping.externalId };
    },
});
