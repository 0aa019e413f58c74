import { Type } from '@sinclair/typebox';
import { AppError } from '../../lib/errors.ts';
import { stripControlAndSpace, UUID_PATTERN } from '../../lib/text/characters.ts';
import { removeUser, setDisabled } from '../../users/change-user.ts';
import { emailPrefixToFind, normalizeEmail } from '../../users/email.ts';
import { findIdMapping, findUsersByAccountInfo, ID_TYPES, MAX_FOUND } from '../../users/find-users.ts';
import type { ThirdPartyIdentity, User, UserFactors } from '../../users/user.ts';
import type { PageStart } from '../../users/user-store.ts';
import { AnyIdField, EmailJson, IdentityJson } from '../protocol/fields.ts';
import {
  invalidToken,
  LimitField,
  NextToken,
  QueryField,
  RecipeIdsField,
  RequiredQueryField,
  readLimit,
  readOneOf,
  readRecipeIds,
  TokenField,
} from '../protocol/query.ts';
import { flag, integer, ok, okOr, optional } from '../protocol/schema.ts';
import { UserJson, userJson } from '../protocol/user-json.ts';
import { FactorsJson } from '../protocol/user-payload.ts';
import { isAtLeast, MAX_HEAD_BYTES } from '../server/request-checks.ts';
import { hasRight } from '../server/route-checks.ts';
import { defineRoute, sendJsonText } from './define-route.ts';

const UNKNOWN = { status: 'UNKNOWN_USER_ID_ERROR' } as const;

export const getUserRoute = defineRoute({
  tags: ['users'],
  summary: 'Finds a user by user id, recipe user id or external id',
  query: Type.Object({ userId: AnyIdField }),
  answer: okOr([UNKNOWN.status], { user: UserJson }),
}).handle(async (request, { store }) => {
  const user = await store.findUser(request.query.userId);
  return user ? { status: 'OK', user: userJson(user, request.cdiVersion) } : UNKNOWN;
});

export const countUsersRoute = defineRoute({
  tags: ['users'],
  summary: 'Counts users',
  query: Type.Object({
    includeRecipeIds: RecipeIdsField,
    includeAllTenants: QueryField('Has no effect, because there is one tenant.', Type.Boolean()),
    allowApproximate: QueryField(
      'From CDI 5.6 on: the answer has `approximate` and `asOf`. The count is exact all the same.',
      Type.Boolean({ default: false }),
    ),
  }),
  answer: ok({
    count: Type.Integer(),
    approximate: optional(Type.Literal(false)),
    asOf: optional(integer('Time of the count, in ms since the epoch.')),
  }),
}).handle(async ({ query, cdiVersion }, { store, now }) => {
  const recipeIds = readRecipeIds(query.includeRecipeIds);
  const saysWhen = isAtLeast(cdiVersion, '5.6') && query.allowApproximate?.toLowerCase() === 'true';
  const asOf = now();
  const count = await store.countUsers(recipeIds ? { recipeIds } : {});
  return { status: 'OK', count, ...(saysWhen && { approximate: false, asOf }) };
});

const ID_TYPE_UNKNOWN = "Field name 'userIdType' should be one of 'SUPERTOKENS', 'EXTERNAL' or 'ANY'";

export const getUserIdMappingRoute = defineRoute({
  tags: ['users'],
  summary: 'Finds the user id for an external id, or the external id for a user id',
  query: Type.Object({
    userId: AnyIdField,
    userIdType: QueryField(
      'Which kind of id is given.',
      Type.String({ enum: [...ID_TYPES], default: 'ANY' }),
    ),
  }),
  answer: okOr(['UNKNOWN_MAPPING_ERROR'], {
    superTokensUserId: Type.String(),
    externalUserId: Type.String(),
  }),
}).handle(async ({ query: { userId, userIdType = 'ANY' } }, { store }) => {
  const id = stripControlAndSpace(userId);
  if (id === '') throw new AppError('QUERY_INVALID', "Field name 'userId' cannot be an empty String");
  const type = readOneOf('userIdType', ID_TYPES, userIdType.trim(), ID_TYPE_UNKNOWN);
  const mapping = await findIdMapping(store, id, type);
  if (mapping === undefined) return { status: 'UNKNOWN_MAPPING_ERROR' };
  return { status: 'OK', superTokensUserId: mapping.userId, externalUserId: mapping.externalId };
});

export const getMetadataRoute = defineRoute({
  tags: ['users'],
  summary: "Returns a user's metadata, exactly as it was imported",
  description:
    'The id is a user id, recipe user id or external id. For a user without metadata and for an unknown id, the answer has `{}`. Metadata cannot be changed through this service.',
  query: Type.Object({ userId: AnyIdField }),
  answer: ok({ metadata: Type.Object({}, { additionalProperties: true }) }),
}).handle(async ({ query: { userId } }, { store }, reply) => {
  // The stored metadata is sent as text, because parsing it would change some numbers.
  const metadata = (await store.findMetadata(userId)) ?? '{}';
  return sendJsonText(reply, `{"status":"OK","metadata":${metadata}}`);
});

const NONE: UserFactors = { totpDevices: [], userRoles: [], phoneNumbers: [] };

export const getFactorsRoute = defineRoute({
  tags: ['users'],
  summary: 'Returns the TOTP devices, roles and phone numbers that were imported with a user',
  description:
    'The data is kept for the next system; nothing here enforces it. The answer has secrets from which one-time passwords of the user can be computed. The id is a user id, recipe user id or external id. For a user without such data and for an unknown id, the lists are empty.',
  query: Type.Object({ userId: AnyIdField }),
  answer: ok({ factors: FactorsJson }),
  errors: ['FACTORS_SECRET_MISSING'],
}).handle(async ({ query: { userId } }, { store, vault }) => {
  const found = await store.findFactors(userId);
  return { status: 'OK', factors: found ? vault.open(found.userId, found.sealed) : NONE };
});

export const setDisabledRoute = defineRoute({
  tags: ['users'],
  summary: 'Disables or enables a user',
  description:
    'A disabled user exists and cannot sign in: a sign-in answers as to a wrong password, at a provider `SIGN_IN_UP_NOT_ALLOWED`. Sessions are not ended, because this service has none. In front of a core, users whom the core has are refused: the core has no such state.',
  body: Type.Object({ userId: AnyIdField, disabled: Type.Boolean() }),
  answer: okOr([UNKNOWN.status], {}),
  errors: ['HANDED_OVER'],
}).handle(async ({ body }, deps) => ((await setDisabled(deps, body)) ? { status: 'OK' } : UNKNOWN));

export const removeUserRoute = defineRoute({
  tags: ['users'],
  summary: 'Removes a user, so that the e-mail or identity is free again',
  body: Type.Object({
    userId: AnyIdField,
    removeAllLinkedAccounts: optional(
      flag('`false`: remove only the login method with this id. Default `true`: remove the whole user.', {
        default: true,
      }),
    ),
  }),
  answer: ok({}),
}).handle(async (request, deps) => {
  const { userId, removeAllLinkedAccounts = true } = request.body;
  await removeUser(deps, { userId, scope: removeAllLinkedAccounts ? 'user' : 'login-method' });
  return { status: 'OK' };
});

/** Maximum number of users that a search finds, as in SuperTokens core. */
const MAX_SEARCHED = 1000;

/** Maximum number of texts in a search. Each text of a search for addresses takes two look-ups in the database. */
const MAX_TEXTS = 10;

const SearchField = (what: string) =>
  QueryField(
    `Only users with ${what} starts with this text, or with one of up to ${MAX_TEXTS} texts that are separated by semicolons. A search finds at most ${MAX_SEARCHED} users and ignores limit, paginationToken and includeRecipeIds, as in SuperTokens core.`,
    Type.String({ maxLength: MAX_HEAD_BYTES }),
  );

/** Returns the texts to search for in a field, or undefined if it does not limit the search. */
function readTexts(name: string, list: string | undefined): string[] | undefined {
  const texts = [...new Set(list?.split(';').map(emailPrefixToFind))].filter((text) => text !== '');
  if (texts.length > MAX_TEXTS) {
    throw new AppError(
      'QUERY_INVALID',
      `Field name '${name}' is invalid in GET request: expected at most ${MAX_TEXTS} texts, separated by semicolons`,
    );
  }
  return texts.length === 0 ? undefined : texts;
}

const ORDERS = ['ASC', 'DESC'] as const;
const ORDER_RULE = 'timeJoinedOrder can be either ASC OR DESC';

export const listUsersRoute = defineRoute({
  tags: ['users'],
  summary: 'Lists users by the time when they joined, page by page',
  description: 'A page ends early if its users have thousands of login methods.',
  query: Type.Object({
    limit: LimitField('Users'),
    timeJoinedOrder: QueryField(
      'Order by the time when the users joined.',
      Type.String({ enum: [...ORDERS], default: 'ASC' }),
    ),
    paginationToken: TokenField,
    includeRecipeIds: RecipeIdsField,
    email: SearchField('an address that'),
    provider: SearchField('a third-party login whose thirdPartyId'),
    phone: SearchField('a phone number that (no user of this service has one)'),
  }),
  answer: ok({
    users: Type.Array(UserJson),
    nextPaginationToken: NextToken,
    truncated: optional(Type.Literal(true, { description: 'A search would find more users.' })),
  }),
}).handle(async (request, { store }) => {
  const { query, cdiVersion } = request;
  const isNewestFirst =
    readOneOf('timeJoinedOrder', ORDERS, query.timeJoinedOrder ?? 'ASC', ORDER_RULE) === 'DESC';
  const order = isNewestFirst ? 'desc' : 'asc';
  const recipeIds = readRecipeIds(query.includeRecipeIds);
  const start = query.paginationToken === undefined ? undefined : readPaginationToken(query.paginationToken);
  const emails = readTexts('email', query.email);
  const providers = readTexts('provider', query.provider);
  const phones = readTexts('phone', query.phone);
  const json = (users: User[]) => users.map((user) => userJson(user, cdiVersion));

  if (emails || providers || phones) {
    readLimit(query.limit, { most: Number.POSITIVE_INFINITY });
    if (phones) return { status: 'OK', users: [] };
    const { users, next } = await store.searchUsers({
      order,
      limit: MAX_SEARCHED,
      ...(emails && { emails }),
      ...(providers && { providers }),
    });
    return { status: 'OK', users: json(users), ...(next && { truncated: true }) };
  }
  const { users, next } = await store.listUsers({
    limit: readLimit(query.limit),
    order,
    ...(start && { start }),
    ...(recipeIds && { recipeIds }),
  });
  return { status: 'OK', users: json(users), nextPaginationToken: next && writePaginationToken(next) };
});

const TOKEN = new RegExp(`^(${UUID_PATTERN});(\\d{1,16})$`);

/** Returns the token of the next page of users. To clients, it is opaque text. */
function writePaginationToken({ timeJoinedMs, userId }: PageStart): string {
  return Buffer.from(`${userId};${timeJoinedMs}`).toString('base64');
}

/** @throws {AppError} QUERY_INVALID for anything that `writePaginationToken` did not write */
function readPaginationToken(token: string): PageStart {
  const text = Buffer.from(token, 'base64');
  const [, userId, time] = TOKEN.exec(text.toString('latin1')) ?? [];
  if (userId === undefined || time === undefined || text.toString('base64') !== token) {
    throw invalidToken();
  }
  return { userId, timeJoinedMs: Number(time) };
}

const MATCH_RULE = "'doUnionOfAccountInfo' should be either 'true' or 'false'";

function readIdentity(id: string | undefined, userId: string | undefined): ThirdPartyIdentity | undefined {
  if (id !== undefined && userId !== undefined) return { id, userId };
  if (id === undefined && userId === undefined) return undefined;
  throw new AppError(
    'QUERY_INVALID',
    "If 'thirdPartyId' is provided, 'thirdPartyUserId' must also be provided, and vice versa",
  );
}

export const usersByAccountInfoRoute = defineRoute({
  tags: ['users'],
  summary: 'Finds users by e-mail, third-party identity or both',
  description: `With \`legacy_signin_for\` at \`unknown\`, an address without a user here is looked up in the legacy system first, if the API key has the right \`signin\`. Users are sorted by the time when they joined. The answer has at most ${MAX_FOUND} users, and fewer if they have thousands of login methods.`,
  query: Type.Object({
    doUnionOfAccountInfo: RequiredQueryField(
      '`true`: one condition is sufficient. `false`: all must hold for the same user.',
      Type.Boolean(),
    ),
    email: QueryField('E-mail address. Upper and lower case are equal.', EmailJson),
    thirdPartyId: QueryField('Together with thirdPartyUserId.', IdentityJson),
    thirdPartyUserId: QueryField('Together with thirdPartyId.', IdentityJson),
    phoneNumber: QueryField('Phone number. No user of this service has one.', Type.String()),
  }),
  answer: ok({
    users: Type.Array(UserJson),
    truncated: optional(Type.Literal(true, { description: 'There are more of them.' })),
  }),
  errors: ['LEGACY_UNAVAILABLE'],
}).handle(async (request, { store, legacy }) => {
  const { email, thirdPartyId, thirdPartyUserId, phoneNumber, doUnionOfAccountInfo } = request.query;
  const isUnion =
    readOneOf('doUnionOfAccountInfo', ['true', 'false'], doUnionOfAccountInfo, MATCH_RULE) === 'true';
  const thirdParty = readIdentity(thirdPartyId, thirdPartyUserId);
  const wanted = { ...(email !== undefined && { email }), ...(thirdParty && { thirdParty }) };
  const address = email === undefined ? undefined : normalizeEmail(email);
  // Only callers who may create users make the service ask the legacy system, because a person whom that system knows
  // is created here.
  if (address !== undefined && hasRight(request, 'signin')) await legacy?.lookUp(address);
  const { users, next } = await findUsersByAccountInfo(store, wanted, isUnion ? 'any' : 'all', {
    unknowable: phoneNumber !== undefined,
  });
  return {
    status: 'OK',
    users: users.map((user) => userJson(user, request.cdiVersion)),
    ...(next && { truncated: true }),
  };
});
