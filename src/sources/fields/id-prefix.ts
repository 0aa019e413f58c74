import { isJsonObject } from '../../lib/json/json-object.ts';
import { stripControlAndSpace } from '../../lib/text/strip-control-and-space.ts';
import type { Settings } from '../source.ts';
import type { SourceUser } from '../source-user.ts';

/** Description of the `--set idPrefix` option, which all sources with user ids have. */
export const ID_PREFIX = {
  idPrefix: 'prefix for the id of every user, if another system has the same ids: shop-',
};

/** Returns what is wrong with a value of `--set idPrefix`, or undefined if it is valid. */
export function idPrefixProblem(value: string): string | undefined {
  // A prefix with blanks around it is refused, because the service strips blanks from ids and would store
  // another id.
  return value !== '' && stripControlAndSpace(value) === value
    ? undefined
    : 'idPrefix: expected text without blanks around it, for example shop-';
}

/** Puts the prefix of `--set idPrefix` before the ids of this user and of its login methods. */
export function addIdPrefix(user: SourceUser, { idPrefix }: Settings): void {
  if (idPrefix === undefined) return;
  user.externalUserId = prefixed(user.externalUserId, idPrefix);
  user.loginMethods = user.loginMethods?.map((method) =>
    isJsonObject(method) && typeof method.externalUserId === 'string'
      ? { ...method, externalUserId: prefixed(method.externalUserId, idPrefix) }
      : method,
  );
}

/**
 * Adds the prefix to a user id, stripped as the service strips ids. An id of blanks is kept, so that its row
 * becomes an error.
 */
function prefixed(id: string | undefined, prefix: string): string | undefined {
  const stripped = id === undefined ? '' : stripControlAndSpace(id);
  return stripped === '' ? id : `${prefix}${stripped}`;
}
