import { isPostgresText } from '../lib/text/characters.ts';
import { normalizeEmail } from './email.ts';
import type { AccountInfo, UserPage, UserStore } from './user-store.ts';

/**
 * Maximum number of users that a search returns. Third-party logins of any number of users may share an e-mail address.
 */
export const MAX_FOUND = 500;

/**
 * Returns the first users, by time joined, who meet all conditions or any of them. Without conditions, returns nobody.
 * A condition cannot be met if its text is no e-mail address, or (`unknowable`) if this service does not store data of
 * its kind. Under `all`, such a condition excludes everybody; under `any`, it is ignored.
 */
export async function findUsersByAccountInfo(
  store: UserStore,
  wanted: AccountInfo,
  match: 'all' | 'any',
  { unknowable = false } = {},
): Promise<UserPage> {
  const email = wanted.email === undefined ? undefined : normalizeEmail(wanted.email);
  const { id = '', userId = '' } = wanted.thirdParty ?? {};
  const thirdParty = isPostgresText(id) && isPostgresText(userId) ? wanted.thirdParty : undefined;

  const unmet =
    unknowable ||
    (wanted.email !== undefined && email === undefined) ||
    (wanted.thirdParty !== undefined && thirdParty === undefined);
  if (unmet && match === 'all') return { users: [], next: undefined };
  return store.findUsersByAccountInfo(
    { ...(email !== undefined && { email }), ...(thirdParty && { thirdParty }) },
    match,
    MAX_FOUND,
  );
}

/** Kinds of ids to search by: ids of this service, ids of the former system, or both. */
export const ID_TYPES = ['SUPERTOKENS', 'EXTERNAL', 'ANY'] as const;

export type IdType = (typeof ID_TYPES)[number];

export interface IdMapping {
  userId: string;
  externalId: string;
}

/** Finds the external id of a user or a login method, by either id. */
export async function findIdMapping(
  store: Pick<UserStore, 'findUser'>,
  id: string,
  type: IdType,
): Promise<IdMapping | undefined> {
  const user = await store.findUser(id);
  const all = [
    { userId: user?.id, externalId: user?.externalId },
    ...(user?.loginMethods ?? []).map(({ recipeUserId, externalId }) => ({
      userId: recipeUserId,
      externalId,
    })),
  ];
  for (const { userId, externalId } of all) {
    if (userId === undefined || externalId === undefined) continue;
    const isOwn = type !== 'EXTERNAL' && userId === id;
    const isExternal = type !== 'SUPERTOKENS' && externalId === id;
    if (isOwn || isExternal) return { userId, externalId };
  }
  return undefined;
}
