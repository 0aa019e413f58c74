import { isJsonObject } from '../../lib/json/json-object.ts';
import { stripControlAndSpace } from '../../lib/text/strip-control-and-space.ts';
import type { Settings } from '../source.ts';
import type { SourceUser } from '../source-user.ts';

/** Setting of all sources with ids of a former system. */
export const ID_PREFIX = {
  idPrefix: 'prefix for the id of every user, if another system has the same ids: shop-',
};

/** Returns what is wrong with a value of `idPrefix`, or undefined if it is valid. */
export function idPrefixProblem(value: string): string | undefined {
  // A prefix with blanks around it is refused, because the service strips blanks from ids and would store another id.
  return value !== '' && stripControlAndSpace(value) === value
    ? undefined
    : 'idPrefix: expected text without blanks around it, for example shop-';
}

/** Puts the prefix of the settings before the ids of this user and of its login methods. */
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
 * Adds the prefix to an id, stripped as the service strips ids. An id of blanks is kept, and becomes an error of its
 * row.
 */
function prefixed(id: string | undefined, prefix: string): string | undefined {
  const stripped = id === undefined ? '' : stripControlAndSpace(id);
  return stripped === '' ? id : `${prefix}${stripped}`;
}
