import { Type } from '@sinclair/typebox';
import { type UpdateOutcome, updateUser } from '../../../users/update-user.ts';
import { AnyIdField, EmailField, PasswordField } from '../../protocol/fields.ts';
import { clientGone } from '../../server/connections.ts';
import { defineRoute } from '../define-route.ts';

const STATUS: Record<UpdateOutcome, string> = {
  updated: 'OK',
  'unknown-user': 'UNKNOWN_USER_ID_ERROR',
  'email-taken': 'EMAIL_ALREADY_EXISTS_ERROR',
};

export const updateUserRoute = defineRoute({
  schema: {
    tags: ['users'],
    summary: 'Changes the e-mail, the password or both of a password user',
    body: Type.Object({
      recipeUserId: AnyIdField,
      email: Type.Optional(EmailField),
      password: Type.Optional(PasswordField),
    }),
    response: { 200: Type.Object({ status: Type.String({ enum: Object.values(STATUS) }) }) },
  },
  errors: ['LEGACY_UNAVAILABLE', 'PASSWORD_EMPTY', 'UPDATE_EMPTY'],
  handler: (deps) => async (request, reply) => ({
    status: STATUS[await updateUser(deps, request.body, clientGone(reply))],
  }),
});
