import { Type } from '@sinclair/typebox';
import { updateUser } from '../../users/change-user.ts';
import { signIn } from '../../users/sign-in.ts';
import { signInUpThirdParty, signUp } from '../../users/sign-up.ts';
import { AnyIdField, EmailField, IdentityField, PasswordField } from '../protocol/fields.ts';
import { flag, okOr, oneOf, optional, string } from '../protocol/schema.ts';
import { DISABLED, recipeUserIdJson, UserJson, userJson } from '../protocol/user-json.ts';
import { clientGone } from '../server/connections.ts';
import { defineRoute } from './define-route.ts';

const SIGNED_IN = { user: UserJson, recipeUserId: Type.String() };

export const signInRoute = defineRoute({
  tags: ['sign-in'],
  summary: 'Checks an e-mail and password',
  description:
    'The answer and its duration are the same for an unknown e-mail, for a user without a password, and for a wrong password.',
  body: Type.Object({ email: EmailField, password: PasswordField }),
  answer: okOr(['WRONG_CREDENTIALS_ERROR'], SIGNED_IN),
  errors: ['LEGACY_UNAVAILABLE'],
}).handle(async (request, deps, reply) => {
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
});

export const signUpRoute = defineRoute({
  tags: ['sign-in'],
  summary: 'Creates a user with a password',
  description: 'Hashed as `password_hashing_alg` says.',
  body: Type.Object({ email: EmailField, password: PasswordField }),
  answer: okOr(['EMAIL_ALREADY_EXISTS_ERROR'], SIGNED_IN),
  errors: ['LEGACY_UNAVAILABLE', 'PASSWORD_EMPTY'],
}).handle(async (request, deps, reply) => {
  const signedUp = await signUp(deps, request.body, clientGone(reply));
  if (signedUp === 'email-taken') return { status: 'EMAIL_ALREADY_EXISTS_ERROR' };
  request.hashAlgorithm = signedUp.algorithm;
  const { user } = signedUp;
  return { status: 'OK', user: userJson(user, request.cdiVersion), recipeUserId: user.id };
});

export const thirdPartyUserRoute = defineRoute({
  tags: ['import', 'sign-in'],
  summary: 'Signs in a third-party user, who is created if new',
  description:
    'A user is identified by the account at the provider. If a known user has another e-mail now, the e-mail is updated. A disabled user gets `SIGN_IN_UP_NOT_ALLOWED`, and is not changed.',
  body: Type.Object({
    thirdPartyId: IdentityField,
    thirdPartyUserId: IdentityField,
    email: Type.Object({
      id: EmailField,
      isVerified: optional(
        flag('`true` marks this address as verified; `false` changes nothing.', { default: false }),
      ),
    }),
  }),
  answer: okOr([DISABLED.status], {
    createdNewUser: Type.Boolean(),
    ...SIGNED_IN,
    reason: string('Why the sign-in is not allowed.'),
  }),
}).handle(async (request, { store }) => {
  const { thirdPartyId, thirdPartyUserId, email } = request.body;
  const signedIn = await signInUpThirdParty(store, {
    identity: { id: thirdPartyId, userId: thirdPartyUserId },
    email: email.id,
    verified: email.isVerified ?? false,
  });
  if (signedIn === 'disabled') return DISABLED;
  const { user, recipeUserId, created } = signedIn;
  return {
    status: 'OK',
    createdNewUser: created,
    user: userJson(user, request.cdiVersion),
    recipeUserId: recipeUserIdJson(user, recipeUserId),
  };
});

const STATUS = {
  updated: 'OK',
  'unknown-user': 'UNKNOWN_USER_ID_ERROR',
  'email-taken': 'EMAIL_ALREADY_EXISTS_ERROR',
} as const;

export const updateUserRoute = defineRoute({
  tags: ['users'],
  summary: 'Changes the e-mail, the password or both of a password user',
  body: Type.Object({
    recipeUserId: AnyIdField,
    email: optional(EmailField),
    password: optional(PasswordField),
  }),
  answer: Type.Object({ status: oneOf(Object.values(STATUS)) }),
  errors: ['LEGACY_UNAVAILABLE', 'PASSWORD_EMPTY', 'UPDATE_EMPTY'],
}).handle(async (request, deps, reply) => ({
  status: STATUS[await updateUser(deps, request.body, clientGone(reply))],
}));
