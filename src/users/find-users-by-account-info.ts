import { isPostgresText } from '../lib/text/postgres-text.ts';
import { normalizeEmail } from './email.ts';
import type { AccountInfo, UserPage, UserStore } from './user-store.ts';

/** Bounds the answer: any number of users may have one address, by several third parties and several times by one. */
export const MAX_FOUND = 500;

/**
 * Returns the first users, by time joined, who meet all of the conditions, or any of them. Without a condition that is nobody.
 * Some conditions no user can meet: text that is no address, or (`unknowable`) one of a kind that is not kept here. Under `all`
 * they leave nobody, under `any` they change nothing.
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
