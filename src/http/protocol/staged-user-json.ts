import { type Static, type TSchema, Type } from '@sinclair/typebox';
import type { AssignedIds } from '../../imports/staged/stage-users.ts';
import { STAGED_STATUSES, type StagedStatus, type StagedUser } from '../../imports/staged/staged-store.ts';
import { AppError } from '../../lib/errors.ts';
import { QueryField } from './query.ts';
import { PROFILE_MEMBERS } from './user-payload.ts';

/** A member that the answer has exactly as the client sent it, or omits. */
const Sent = (schema: TSchema) => Type.Optional(Type.Unsafe<unknown>(schema));

/** Has no member for passwords, hashes or factors. */
export const StagedUserJson = Type.Object({
  id: Type.String({
    description: 'User id after the import. Until then, `POST /bulk-import/users/remove` accepts it.',
  }),
  status: Type.String({ enum: [...STAGED_STATUSES] }),
  errorMessage: Type.Optional(Type.String({ description: 'Why it failed.' })),
  createdAt: Type.Integer({ description: 'ms since the epoch' }),
  updatedAt: Type.Integer({ description: 'ms since the epoch' }),
  externalUserId: Sent(Type.String()),
  ...Object.fromEntries(Object.entries(PROFILE_MEMBERS).map(([name, schema]) => [name, Sent(schema)])),
  disabled: Sent(Type.Boolean()),
  loginMethods: Type.Array(
    Type.Object({
      recipeId: Sent(Type.String()),
      tenantIds: Sent(Type.Array(Type.String())),
      email: Sent(Type.String()),
      isVerified: Sent(Type.Boolean()),
      isPrimary: Sent(Type.Boolean()),
      timeJoinedInMSSinceEpoch: Sent(Type.Integer()),
      externalUserId: Sent(Type.String()),
      password: Sent(Type.Literal('unset')),
      legacySignIn: Sent(Type.Literal(true)),
      thirdPartyId: Sent(Type.String()),
      thirdPartyUserId: Sent(Type.String()),
      superTokensUserId: Type.Optional(
        Type.String({
          description: 'Id of the login method. Missing if an earlier version staged the user.',
        }),
      ),
    }),
  ),
});

/** Inserts the stored payload as text, because parsing would change some numbers and take time. */
export function stagedUserJson({
  id,
  status,
  errorMessage,
  payload,
  createdAtMs,
  updatedAtMs,
}: StagedUser): string {
  const own = JSON.stringify({
    ...{ id, status, errorMessage: errorMessage ?? undefined },
    ...{ createdAt: createdAtMs, updatedAt: updatedAtMs },
  });
  // The payload has at least one member, so a comma separates it from the members above.
  return `${own.slice(0, -1)},${payload.slice(1)}`;
}

export const AssignedIdsJson = Type.Object({
  userId: Type.String({ description: 'External id, if the user has one.' }),
  loginMethods: Type.Array(
    Type.Object({
      recipeId: Type.String(),
      userId: Type.String({
        description: 'Id under which the login will be found. An external id replaces it as `recipeUserId`.',
      }),
      tenants: Type.Array(Type.String()),
      email: Type.String(),
      thirdpartyId: Type.Optional(Type.String()),
      thirdpartyUserId: Type.Optional(Type.String()),
    }),
  ),
});

export function assignedIdsJson({ userId, loginMethods }: AssignedIds): Static<typeof AssignedIdsJson> {
  return {
    userId,
    loginMethods: loginMethods.map(({ userId, method }) => ({
      recipeId: method.recipeId,
      userId,
      tenants: ['public'],
      email: method.email,
      ...(method.recipeId === 'thirdparty' && {
        thirdpartyId: method.identity.id,
        thirdpartyUserId: method.identity.userId,
      }),
    })),
  };
}

export const StagedStatusField = QueryField(
  'Only those in this state.',
  Type.String({ enum: [...STAGED_STATUSES] }),
);

/** @throws {AppError} QUERY_INVALID */
export function readStagedStatus(value: string | undefined): StagedStatus | undefined {
  if (value === undefined) return undefined;
  const status = STAGED_STATUSES.find((one) => one === value);
  if (status !== undefined) return status;
  throw new AppError('QUERY_INVALID', 'Invalid value for status. Pass one of NEW, PROCESSING, or FAILED!');
}
