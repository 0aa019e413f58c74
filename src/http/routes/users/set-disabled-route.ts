import { Type } from '@sinclair/typebox';
import { setDisabled } from '../../../users/set-disabled.ts';
import { AnyIdField } from '../../protocol/fields.ts';
import { defineRoute } from '../define-route.ts';

export const setDisabledRoute = defineRoute({
  schema: {
    tags: ['users'],
    summary: 'Disables or enables a user',
    description:
      'A disabled user exists and cannot sign in: a sign-in answers as to a wrong password, at a provider `SIGN_IN_UP_NOT_ALLOWED`. Sessions are not ended, because this service has none. In front of a core, users whom the core has are refused: the core has no such state.',
    body: Type.Object({ userId: AnyIdField, disabled: Type.Boolean() }),
    response: {
      200: Type.Object({ status: Type.String({ enum: ['OK', 'UNKNOWN_USER_ID_ERROR'] }) }),
    },
  },
  errors: ['HANDED_OVER'],
  handler: (deps) => async (request) => {
    const isThere = await setDisabled(deps, request.body);
    return { status: isThere ? 'OK' : 'UNKNOWN_USER_ID_ERROR' };
  },
});
