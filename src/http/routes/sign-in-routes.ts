import { Type } from '@sinclair/typebox';
import { type UpdateOutcome, updateUser } from '../../users/change-user.ts';
import { signIn } from '../../users/sign-in.ts';
import { signInUpThirdParty, signUp } from '../../users/sign-up.ts';
import { AnyIdField, EmailField, IdentityField, PasswordField } from '../protocol/fields.ts';
import { DISABLED, recipeUserIdJson, UserJson, userJson } from '../protocol/user-json.ts';
import { clientGone } from '../server/connections.ts';
import { defineRoute } from './define-route.ts';

export const signInRoute = defineRoute({
  schema: {
    tags: ['sign-in'],
    summary: 'Checks an e-mail and password',
    description:
      'The answer and its duration are the same for an unknown e-mail, for a user without a password, and for a wrong password.',
    body: Type.Object({ email: EmailField, password: PasswordField }),
    response: {
      200: Type.Object({
        status: Type.String({ enum: ['OK', 'WRONG_CREDENTIALS_ERROR'] }),
        user: Type.Optional(UserJson),
        recipeUserId: Type.Optional(Type.String()),
      }),
    },
  },
  errors: ['LEGACY_UNAVAILABLE'],
  handler: (deps) => async (request, reply) => {
    const result = await signIn(deps, request.body, clientGone(reply));
    if (result.outcome === 'wrong-credentials') {
      request.hashAlgorithm = result.algorithm;
      return { status: 'WRONG_CREDENTIALS_ERROR' };
    }
    const { user, recipeUserId, hash } = result.login;
    request.hashAlgorithm = hash.algorithm;
    return {
      status: 'OK',
      user: userJson(user, request.cdiVersion),
      recipeUserId: recipeUserIdJson(user, recipeUserId),
    };
  },
});

export const signUpRoute = defineRoute({
  schema: {
    tags: ['sign-in'],
    summary: 'Creates a user with a password',
    description: 'Hashed as `password_hashing_alg` says.',
    body: Type.Object({ email: EmailField, password: PasswordField }),
    response: {
      200: Type.Object({
        status: Type.String({ enum: ['OK', 'EMAIL_ALREADY_EXISTS_ERROR'] }),
        user: Type.Optional(UserJson),
        recipeUserId: Type.Optional(Type.String()),
      }),
    },
  },
  errors: ['LEGACY_UNAVAILABLE', 'PASSWORD_EMPTY'],
  handler: (deps) => async (request, reply) => {
    const signedUp = await signUp(deps, request.body, clientGone(reply));
    if (signedUp === 'email-taken') return { status: 'EMAIL_ALREADY_EXISTS_ERROR' };
    request.hashAlgorithm = signedUp.algorithm;
    const { user } = signedUp;
    return { status: 'OK', user: userJson(user, request.cdiVersion), recipeUserId: user.id };
  },
});

export const thirdPartyUserRoute = defineRoute({
  schema: {
    tags: ['import', 'sign-in'],
    summary: 'Signs in a third-party user, who is created if new',
    description:
      'A user is identified by the account at the provider. If a known user has another e-mail now, the e-mail is updated. A disabled user gets `SIGN_IN_UP_NOT_ALLOWED`, and is not changed.',
    body: Type.Object({
      thirdPartyId: IdentityField,
      thirdPartyUserId: IdentityField,
      email: Type.Object({
        id: EmailField,
        isVerified: Type.Optional(
          Type.Boolean({
            default: false,
            description: '`true` marks this address as verified; `false` changes nothing.',
          }),
        ),
      }),
    }),
    response: {
      200: Type.Object({
        status: Type.String({ enum: ['OK', 'SIGN_IN_UP_NOT_ALLOWED'] }),
        createdNewUser: Type.Optional(Type.Boolean()),
        user: Type.Optional(UserJson),
        recipeUserId: Type.Optional(Type.String()),
        reason: Type.Optional(Type.String({ description: 'Why the sign-in is not allowed.' })),
      }),
    },
  },
  handler:
    ({ store }) =>
    async (request) => {
      const { thirdPartyId, thirdPartyUserId, email } = request.body;
      const signedIn = await signInUpThirdParty(store, {
        identity: { id: thirdPartyId, userId: thirdPartyUserId },
        email: email.id,
        verified: email.isVerified ?? false,
      });
      if (signedIn === 'disabled') return DISABLED;
      const { user, recipeUserId, created } = signedIn;
      return {
        status: 'OK' as const,
        createdNewUser: created,
        user: userJson(user, request.cdiVersion),
        recipeUserId: recipeUserIdJson(user, recipeUserId),
      };
    },
});

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
