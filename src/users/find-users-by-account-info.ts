import { isStorable } from '../storable.ts';
import { normalizeEmail } from './email.ts';
import type { AccountInfo, UserStore } from './store.ts';
import type { User } from './user.ts';

/**
 * Users who meet all of the conditions, or any, by time joined; without a condition nobody.
 * A condition that no user can meet (text that is no address; `unknowable`: one of a kind that is not kept here)
 * leaves nobody under `all` and changes nothing under `any`.
 */
export async function findUsersByAccountInfo(
  store: UserStore,
  wanted: AccountInfo,
  match: 'all' | 'any',
  { unknowable = false } = {},
): Promise<User[]> {
  const email = wanted.email === undefined ? undefined : normalizeEmail(wanted.email);
  const { id = '', userId = '' } = wanted.thirdParty ?? {};
  const thirdParty = isStorable(id) && isStorable(userId) ? wanted.thirdParty : undefined;

  const unmet =
    unknowable ||
    (wanted.email !== undefined && email === undefined) ||
    (wanted.thirdParty !== undefined && thirdParty === undefined);
  if (unmet && match === 'all') return [];
  return store.findUsersByAccountInfo(
    { ...(email !== undefined && { email }), ...(thirdParty && { thirdParty }) },
    match,
  );
}
