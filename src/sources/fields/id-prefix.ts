import { isJsonObject } from '../../lib/json/json-object.ts';
import { stripControlAndSpace } from '../../lib/text/strip-control-and-space.ts';
import type { Settings } from '../source.ts';
import type { SourceUser } from '../source-user.ts';

/** Option `--set idPrefix`, which all sources with user ids have. */
export const ID_PREFIX = {
  idPrefix: 'prefix for the id of every user, if another system has the same ids: shop-',
};

export function idPrefixProblem(value: string): string | undefined {
  // The service strips blanks from ids, and would store another id.
  return value !== '' && stripControlAndSpace(value) === value
    ? undefined
    : 'idPrefix: expected text without blanks around it, for example shop-';
}

export function addIdPrefix(user: SourceUser, { idPrefix }: Settings): void {
  if (idPrefix === undefined) return;
  user.externalUserId = prefixed(user.externalUserId, idPrefix);
  user.loginMethods = user.loginMethods?.map((method) =>
    isJsonObject(method) && typeof method.externalUserId === 'string'
      ? { ...method, externalUserId: prefixed(method.externalUserId, idPrefix) }
      : method,
  );
}

/** An id is stripped as the service strips it. An id of blanks is kept, so that its row becomes an error. */
function prefixed(id: string | undefined, prefix: string): string | undefined {
  const stripped = id === undefined ? '' : stripControlAndSpace(id);
  return stripped === '' ? id : `${prefix}${stripped}`;
}
