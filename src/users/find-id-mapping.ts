import type { UserStore } from './user-store.ts';

/** Ids of this service, ids of the former system, or both. */
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
