import { type TSchema, Type } from '@sinclair/typebox';
import { IMPORT_NAME } from '../../imports/import-request.ts';
import { AppError } from '../../lib/errors.ts';
import type { RecipeId } from '../../users/user.ts';
import { MAX_HEAD_BYTES } from '../server/request-checks.ts';

/**
 * Returns the schema of a required query parameter. It accepts any text, because later code checks the value and has
 * better error messages.
 */
export const RequiredQueryField = (description: string, documentedAs: TSchema) =>
  Type.String({ maxLength: MAX_HEAD_BYTES, description, documentedAs });

export const QueryField = (description: string, documentedAs: TSchema) =>
  Type.Optional(RequiredQueryField(description, documentedAs));

export const TokenField = QueryField(
  '`nextPaginationToken` of the previous page.',
  Type.String({ minLength: 1, maxLength: 128 }),
);

export const NextToken = Type.Optional(Type.String({ description: 'Absent on the last page.' }));

export const queryInvalid = (name: string, why: string) =>
  new AppError('QUERY_INVALID', `Field name '${name}' is invalid in query: ${why}`);

export const RecipeIdsField = QueryField(
  'List of `emailpassword` and `thirdparty`, separated by commas: only users with such a login. Other recipes of the CDI match nobody.',
  Type.Array(Type.String({ enum: ['emailpassword', 'thirdparty'] })),
);

/** Recipes of the CDI whose users this service does not store. A listing filtered by such a recipe is empty. */
const OTHER_RECIPES = new Set([
  'accountlinking',
  'dashboard',
  'emailverification',
  'jwt',
  'mfa',
  'multitenancy',
  'oauth',
  'passwordless',
  'session',
  'totp',
  'useridmapping',
  'usermetadata',
  'userroles',
  'webauthn',
]);

const isOurs = (name: string): name is RecipeId => name === 'emailpassword' || name === 'thirdparty';

/**
 * Returns the recipes in a list, or undefined (all recipes) if there is no list. Empty entries are ignored, and upper
 * and lower case are equal, as in SuperTokens core.
 * @throws {AppError} QUERY_INVALID
 */
export function readRecipeIds(list: string | undefined): RecipeId[] | undefined {
  const names = (list ?? '').split(',').map((name) => name.trim().toLowerCase());
  const given = names.filter((name) => name !== '');
  for (const name of given) {
    if (!isOurs(name) && !OTHER_RECIPES.has(name)) {
      throw new AppError('QUERY_INVALID', 'Unknown recipe ID: expected emailpassword or thirdparty');
    }
  }
  return given.length === 0 ? undefined : given.filter(isOurs);
}

function readInteger(name: string, value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  const integer = /^[+-]?\d{1,10}$/.test(value) ? Number(value) : Number.NaN;
  // The maximum of SuperTokens core, which reads an int of 32 bits.
  if (Math.abs(integer) <= 2_147_483_647) return integer;
  throw new AppError('QUERY_INVALID', `Field name '${name}' must be an int in the GET request`);
}

/** @throws {AppError} QUERY_INVALID */
export function readMatching(name: string, value: string, pattern: RegExp, expected: string): string {
  if (pattern.test(value)) return value;
  throw queryInvalid(name, `expected ${expected}`);
}

/** @throws {AppError} QUERY_INVALID */
export const readCount = (name: string, value: string): number =>
  Number(readMatching(name, value, /^\d{1,15}$/, 'an integer from 0 on, of at most 15 digits'));

/** @throws {AppError} QUERY_INVALID */
export const readName = (name: string, value: string): string =>
  readMatching(name, value, IMPORT_NAME, '1 to 256 characters without control characters');

export const MAX_LIMIT = 500;
const DEFAULT_LIMIT = 100;

/** @param what plural noun for the listed items */
export const LimitField = (what: string) =>
  QueryField(`${what} a page.`, Type.Integer({ minimum: 1, maximum: MAX_LIMIT, default: DEFAULT_LIMIT }));

/** @throws {AppError} QUERY_INVALID */
export function readLimit(
  value: string | undefined,
  { most = MAX_LIMIT, tooMany = `max limit allowed is ${MAX_LIMIT}` } = {},
): number {
  const limit = readInteger('limit', value) ?? DEFAULT_LIMIT;
  if (limit < 1) throw new AppError('QUERY_INVALID', 'limit must a positive integer with min value 1');
  if (limit > most) throw new AppError('QUERY_INVALID', tooMany);
  return limit;
}

/** @throws {AppError} QUERY_INVALID, with the `message` of SuperTokens core if given */
export function readOneOf<const Value extends string>(
  name: string,
  values: readonly Value[],
  value: string,
  message?: string,
): Value {
  const found = values.find((one) => one === value);
  if (found !== undefined) return found;
  if (message !== undefined) throw new AppError('QUERY_INVALID', message);
  throw queryInvalid(name, `expected one of ${values.join(', ')}`);
}

export const invalidToken = () => new AppError('QUERY_INVALID', 'invalid pagination token');
