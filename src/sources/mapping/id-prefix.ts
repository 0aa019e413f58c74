import { isJsonObject } from '../../lib/json/json-object.ts';
import { stripControlAndSpace } from '../../lib/text/characters.ts';
import type { Settings, Source } from '../source.ts';
import type { SourceUser } from '../source-user.ts';

const ID_PREFIX = {
  idPrefix: 'prefix for the id of every user, if another system has the same ids: shop-',
};

function idPrefixProblem(value: string): string | undefined {
  // The service strips blanks from ids, so it would store an id without those of the prefix.
  return value !== '' && stripControlAndSpace(value) === value
    ? undefined
    : 'idPrefix: expected text without blanks around it, for example shop-';
}

/** Adds the prefix to the ids of a user and of its login methods. */
export function addIdPrefix(user: SourceUser, { idPrefix }: Settings): void {
  if (idPrefix === undefined) return;
  user.externalUserId = prefixed(user.externalUserId, idPrefix);
  user.loginMethods = user.loginMethods?.map((method) =>
    isJsonObject(method) && typeof method.externalUserId === 'string'
      ? { ...method, externalUserId: prefixed(method.externalUserId, idPrefix) }
      : method,
  );
}

/** Returns the id with the prefix. An id of only blanks gets none, so that its row becomes an error. */
function prefixed(id: string | undefined, prefix: string): string | undefined {
  const stripped = id === undefined ? '' : stripControlAndSpace(id);
  return stripped === '' ? id : `${prefix}${stripped}`;
}

/** Returns what is wrong with the value of an option that all sources share. Undefined if it is valid or not shared. */
export const settingProblem = (name: string, value: string): string | undefined =>
  Object.hasOwn(ID_PREFIX, name) ? idPrefixProblem(value) : undefined;

/** Returns descriptions of all options of a source, including the options that all sources share. */
export const settingsOf = ({ settings, isOwnFormat }: Source): Readonly<Record<string, string>> => ({
  ...settings,
  ...(!isOwnFormat && ID_PREFIX),
});
