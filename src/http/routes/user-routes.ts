import { Type } from '@sinclair/typebox';
import { AppError } from '../../lib/errors.ts';
import { stripControlAndSpace } from '../../lib/text/characters.ts';
import { removeUser, setDisabled } from '../../users/change-user.ts';
import { findIdMapping, ID_TYPES, type IdType } from '../../users/find-users.ts';
import type { UserFactors } from '../../users/user.ts';
import { AnyIdField } from '../protocol/fields.ts';
import { QueryField, RecipeIdsField, readRecipeIds } from '../protocol/query.ts';
import { UserJson, userJson } from '../protocol/user-json.ts';
import { FactorsJson } from '../protocol/user-payload.ts';
import { isAtLeast } from '../server/request-checks.ts';
import { AsText, defineRoute } from './define-route.ts';

export const getUserRoute = defineRoute({
  schema: {
    tags: ['users'],
    summary: 'Finds a user by user id, recipe user id or external id',
    querystring: Type.Object({ userId: AnyIdField }),
    response: {
      200: Type.Object({
        status: Type.String({ enum: ['OK', 'UNKNOWN_USER_ID_ERROR'] }),
        user: Type.Optional(UserJson),
      }),
    },
  },
  handler:
    ({ store }) =>
    async (request) => {
      const user = await store.findUser(request.query.userId);
      if (user === undefined) return { status: 'UNKNOWN_USER_ID_ERROR' };
      return { status: 'OK', user: userJson(user, request.cdiVersion) };
    },
});

export const countUsersRoute = defineRoute({
  schema: {
    tags: ['users'],
    summary: 'Counts users',
    querystring: Type.Object({
      includeRecipeIds: RecipeIdsField,
      includeAllTenants: QueryField('Has no effect, because there is one tenant.', Type.Boolean()),
      allowApproximate: QueryField(
        'From CDI 5.6 on: the answer has `approximate` and `asOf`. The count is exact all the same.',
        Type.Boolean({ default: false }),
      ),
    }),
    response: {
      200: Type.Object({
        status: Type.Literal('OK'),
        count: Type.Integer(),
        approximate: Type.Optional(Type.Literal(false)),
        asOf: Type.Optional(Type.Integer({ description: 'Time of the count, in ms since the epoch.' })),
      }),
    },
  },
  handler:
    ({ store, now }) =>
    async ({ query, cdiVersion }) => {
      const recipeIds = readRecipeIds(query.includeRecipeIds);
      const saysWhen = isAtLeast(cdiVersion, '5.6') && query.allowApproximate?.toLowerCase() === 'true';
      const asOf = now();
      const count = await store.countUsers(recipeIds ? { recipeIds } : {});
      return { status: 'OK' as const, count, ...(saysWhen && { approximate: false as const, asOf }) };
    },
});

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

export const getMetadataRoute = defineRoute({
  schema: {
    tags: ['users'],
    summary: "Returns a user's metadata, exactly as it was imported",
    description:
      'The id is a user id, recipe user id or external id. For a user without metadata and for an unknown id, the answer has `{}`. Metadata cannot be changed through this service.',
    querystring: Type.Object({ userId: AnyIdField }),
    response: {
      200: AsText(
        Type.Object({
          status: Type.Literal('OK'),
          metadata: Type.Object({}, { additionalProperties: true }),
        }),
      ),
    },
  },
  handler:
    ({ store }) =>
    async ({ query: { userId } }, reply) => {
      // The stored metadata is sent as text, because parsing it would change some numbers.
      const metadata = (await store.findMetadata(userId)) ?? '{}';
      return reply.type('application/json; charset=utf-8').send(`{"status":"OK","metadata":${metadata}}`);
    },
});

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

export const removeUserRoute = defineRoute({
  schema: {
    tags: ['users'],
    summary: 'Removes a user, so that the e-mail or identity is free again',
    body: Type.Object({
      userId: AnyIdField,
      removeAllLinkedAccounts: Type.Optional(
        Type.Boolean({
          default: true,
          description:
            '`false`: remove only the login method with this id. Default `true`: remove the whole user.',
        }),
      ),
    }),
    response: { 200: Type.Object({ status: Type.Literal('OK') }) },
  },
  handler: (deps) => async (request) => {
    const { userId, removeAllLinkedAccounts = true } = request.body;
    await removeUser(deps, { userId, scope: removeAllLinkedAccounts ? 'user' : 'login-method' });
    return { status: 'OK' as const };
  },
});
