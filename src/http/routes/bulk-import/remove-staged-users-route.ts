import { Type } from '@sinclair/typebox';
import { AppError } from '../../../lib/errors.ts';
import { AnyIdField } from '../../protocol/fields.ts';
import { defineRoute } from '../define-route.ts';

const MAX_IDS = 500;

function checkIds(ids: readonly string[]): void {
  const refuse = (what: string) => {
    throw new AppError('FIELD_INVALID', `Field name 'ids' cannot ${what}`);
  };
  if (ids.length > MAX_IDS) refuse(`contain more than ${MAX_IDS} elements`);
  if (ids.includes('')) refuse('contain an empty string');
}

export const removeStagedUsersRoute = defineRoute({
  schema: {
    tags: ['import'],
    summary: 'Removes staged users that wait for their import or have failed',
    description: 'Users that were imported are no longer staged: to remove one, use `POST /user/remove`.',
    body: Type.Object({
      ids: Type.Array(AnyIdField, {
        description: `At most ${MAX_IDS}.`,
        documentedAs: Type.Array(AnyIdField, { maxItems: MAX_IDS }),
      }),
    }),
    response: {
      200: Type.Object({
        deletedIds: Type.Array(Type.String()),
        invalidIds: Type.Array(Type.String({ description: 'Id that no staged user has.' })),
      }),
    },
  },
  handler:
    ({ staged }) =>
    async (request) => {
      const { ids } = request.body;
      checkIds(ids);
      const removed = await staged.remove(ids);
      return {
        deletedIds: ids.filter((id) => removed.has(id)),
        invalidIds: ids.filter((id) => !removed.has(id)),
      };
    },
});
