import { Type } from '@sinclair/typebox';
import type { LoginMethod, User } from '../../users/user.ts';
import { type CdiVersion, isAtLeast } from '../server/request-checks.ts';
import { flag, integer, oneOf, optional, Time } from './schema.ts';

const Identity = Type.Object({ id: Type.String(), userId: Type.String() });

const TENANT_IDS = ['public'];

const LoginMethodJson = Type.Object({
  tenantIds: Type.Array(Type.String()),
  recipeUserId: Type.String(),
  verified: Type.Boolean(),
  timeJoined: Time,
  recipeId: oneOf(['emailpassword', 'thirdparty']),
  email: Type.String(),
  thirdParty: optional(Identity),
});

export const UserJson = Type.Object({
  id: Type.String(),
  isPrimaryUser: flag('Has several login methods.'),
  tenantIds: Type.Array(Type.String()),
  timeJoined: integer('ms since the epoch; the earliest login method'),
  emails: Type.Array(Type.String()),
  phoneNumbers: Type.Array(Type.String()),
  thirdParty: Type.Array(Identity),
  webauthn: optional(
    Type.Object({ credentialIds: Type.Array(Type.String()) }, { description: 'Present from CDI 5.3 on.' }),
  ),
  disabled: optional(
    flag('True for a user who must not sign in, otherwise left out. SuperTokens core has no such member.'),
  ),
  loginMethods: Type.Array(LoginMethodJson),
});

/** Returns a user in the form of the CDI version. Missing members are left out, never null. */
export function userJson(user: User, cdiVersion: CdiVersion) {
  const methods = user.loginMethods;
  return {
    id: user.externalId ?? user.id,
    isPrimaryUser: methods.length > 1,
    tenantIds: TENANT_IDS,
    timeJoined: user.timeJoinedMs,
    emails: [...new Set(methods.map((method) => method.email))],
    phoneNumbers: [],
    thirdParty: methods.flatMap((method) => (method.recipeId === 'thirdparty' ? [method.thirdParty] : [])),
    ...(isAtLeast(cdiVersion, '5.3') && { webauthn: { credentialIds: [] } }),
    ...(user.isDisabled && { disabled: true }),
    loginMethods: methods.map(loginMethodJson),
  };
}

function loginMethodJson(method: LoginMethod) {
  return {
    tenantIds: TENANT_IDS,
    recipeUserId: method.externalId ?? method.recipeUserId,
    verified: method.verified,
    timeJoined: method.timeJoinedMs,
    recipeId: method.recipeId,
    email: method.email,
    ...(method.recipeId === 'thirdparty' && { thirdParty: method.thirdParty }),
  };
}

/** Returns the id that callers use for the login method: its external id, if it has one. */
export function recipeUserIdJson(user: User, recipeUserId: string): string {
  const method = user.loginMethods.find((one) => one.recipeUserId === recipeUserId);
  return method?.externalId ?? recipeUserId;
}

/** Answer for a disabled user. The reason is for developers: SDKs send only the status on to the frontend. */
export const DISABLED = { status: 'SIGN_IN_UP_NOT_ALLOWED', reason: 'The user is disabled.' } as const;
