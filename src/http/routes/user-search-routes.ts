import { Type } from '@sinclair/typebox';
import type { FastifyRequest } from 'fastify';
import { AppError } from '../../lib/errors.ts';
import { UUID_PATTERN } from '../../lib/text/characters.ts';
import { emailPrefixToFind, normalizeEmail } from '../../users/email.ts';
import { findUsersByAccountInfo, MAX_FOUND } from '../../users/find-users.ts';
import type { ThirdPartyIdentity, User } from '../../users/user.ts';
import type { PageStart } from '../../users/user-store.ts';
import { EmailJson, IdentityJson } from '../protocol/fields.ts';
import {
  LimitField,
  QueryField,
  RecipeIdsField,
  RequiredQueryField,
  readLimit,
  readRecipeIds,
  TokenField,
} from '../protocol/query.ts';
import { UserJson, userJson } from '../protocol/user-json.ts';
import { MAX_HEAD_BYTES } from '../server/request-checks.ts';
import { defineRoute } from './define-route.ts';

/** Maximum number of users that a search finds, as in SuperTokens core. */
const MAX_SEARCHED = 1000;

/** Each text of a search for addresses is two look-ups in the database. */
const MAX_TEXTS = 10;

const SearchField = (what: string) =>
  QueryField(
    `Only users with ${what} starts with this text, or with one of up to ${MAX_TEXTS} texts that are separated by semicolons. A search finds at most ${MAX_SEARCHED} users and ignores limit, paginationToken and includeRecipeIds, as in SuperTokens core.`,
    Type.String({ maxLength: MAX_HEAD_BYTES }),
  );

/** Returns undefined without a text, which does not restrict the users. */
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

function readOrder(value = 'ASC'): 'asc' | 'desc' {
  if (value === 'ASC') return 'asc';
  if (value === 'DESC') return 'desc';
  throw new AppError('QUERY_INVALID', 'timeJoinedOrder can be either ASC OR DESC');
}

export const listUsersRoute = defineRoute({
  schema: {
    tags: ['users'],
    summary: 'Lists users by the time when they joined, page by page',
    description: 'A page ends early if its users have thousands of login methods.',
    querystring: Type.Object({
      limit: LimitField('Users'),
      timeJoinedOrder: QueryField(
        'Order by the time when the users joined.',
        Type.String({ enum: ['ASC', 'DESC'], default: 'ASC' }),
      ),
      paginationToken: TokenField,
      includeRecipeIds: RecipeIdsField,
      email: SearchField('an address that'),
      provider: SearchField('a third-party login whose thirdPartyId'),
      phone: SearchField('a phone number that (no user of this service has one)'),
    }),
    response: {
      200: Type.Object({
        status: Type.Literal('OK'),
        users: Type.Array(UserJson),
        nextPaginationToken: Type.Optional(Type.String({ description: 'Absent on the last page.' })),
        truncated: Type.Optional(Type.Literal(true, { description: 'A search would find more users.' })),
      }),
    },
  },
  handler:
    ({ store }) =>
    async (request) => {
      const { query, cdiVersion } = request;
      const order = readOrder(query.timeJoinedOrder);
      const recipeIds = readRecipeIds(query.includeRecipeIds);
      const start =
        query.paginationToken === undefined ? undefined : readPaginationToken(query.paginationToken);
      const emails = readTexts('email', query.email);
      const providers = readTexts('provider', query.provider);
      const phones = readTexts('phone', query.phone);
      const json = (users: User[]) => users.map((user) => userJson(user, cdiVersion));

      if (emails || providers || phones) {
        readLimit(query.limit, { most: Number.POSITIVE_INFINITY });
        if (phones) return { status: 'OK' as const, users: [] };
        const { users, next } = await store.searchUsers({
          order,
          limit: MAX_SEARCHED,
          ...(emails && { emails }),
          ...(providers && { providers }),
        });
        return { status: 'OK' as const, users: json(users), ...(next && { truncated: true as const }) };
      }
      const { users, next } = await store.listUsers({
        limit: readLimit(query.limit),
        order,
        ...(start && { start }),
        ...(recipeIds && { recipeIds }),
      });
      return {
        status: 'OK' as const,
        users: json(users),
        ...(next && { nextPaginationToken: writePaginationToken(next) }),
      };
    },
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
    throw new AppError('QUERY_INVALID', 'invalid pagination token');
  }
  return { userId, timeJoinedMs: Number(time) };
}

function readMatch(doUnionOfAccountInfo: string): 'any' | 'all' {
  if (doUnionOfAccountInfo === 'true') return 'any';
  if (doUnionOfAccountInfo === 'false') return 'all';
  throw new AppError('QUERY_INVALID', "'doUnionOfAccountInfo' should be either 'true' or 'false'");
}

function readIdentity(id: string | undefined, userId: string | undefined): ThirdPartyIdentity | undefined {
  if (id !== undefined && userId !== undefined) return { id, userId };
  if (id === undefined && userId === undefined) return undefined;
  throw new AppError(
    'QUERY_INVALID',
    "If 'thirdPartyId' is provided, 'thirdPartyUserId' must also be provided, and vice versa",
  );
}

/** The legacy system is asked for callers who may create users, because the person whom it knows is created. */
const mayCreate = ({ apiKeyRights = [] }: Pick<FastifyRequest, 'apiKeyRights'>) =>
  apiKeyRights.includes('signin');

export const usersByAccountInfoRoute = defineRoute({
  schema: {
    tags: ['users'],
    summary: 'Finds users by e-mail, third-party identity or both',
    description: `With \`legacy_signin_for\` at \`unknown\`, an address without a user here is looked up in the legacy system first, if the API key has the right \`signin\`. Users are sorted by the time when they joined. The answer has at most ${MAX_FOUND} users, and fewer if they have thousands of login methods.`,
    querystring: Type.Object({
      doUnionOfAccountInfo: RequiredQueryField(
        '`true`: one condition is sufficient. `false`: all must hold for the same user.',
        Type.Boolean(),
      ),
      email: QueryField('E-mail address. Upper and lower case are equal.', EmailJson),
      thirdPartyId: QueryField('Together with thirdPartyUserId.', IdentityJson),
      thirdPartyUserId: QueryField('Together with thirdPartyId.', IdentityJson),
      phoneNumber: QueryField('Phone number. No user of this service has one.', Type.String()),
    }),
    response: {
      200: Type.Object({
        status: Type.Literal('OK'),
        users: Type.Array(UserJson),
        truncated: Type.Optional(Type.Literal(true, { description: 'There are more of them.' })),
      }),
    },
  },
  errors: ['LEGACY_UNAVAILABLE'],
  handler:
    ({ store, legacy }) =>
    async (request) => {
      const { email, thirdPartyId, thirdPartyUserId, phoneNumber } = request.query;
      const match = readMatch(request.query.doUnionOfAccountInfo);
      const thirdParty = readIdentity(thirdPartyId, thirdPartyUserId);
      const wanted = { ...(email !== undefined && { email }), ...(thirdParty && { thirdParty }) };
      const address = email === undefined ? undefined : normalizeEmail(email);
      if (address !== undefined && mayCreate(request)) await legacy?.lookUp(address);
      const { users, next } = await findUsersByAccountInfo(store, wanted, match, {
        unknowable: phoneNumber !== undefined,
      });
      return {
        status: 'OK' as const,
        users: users.map((user) => userJson(user, request.cdiVersion)),
        ...(next && { truncated: true as const }),
      };
    },
});
