import { oncePerName } from './column-names.ts';
import { looksLikeSecret } from './looks-like-secret.ts';
import { areOfSecret, wordsOf } from './secret-words.ts';

/** Words in names of columns with ids, whose values may be as random as tokens. */
const ID_WORDS = new Set([
  ...['id', 'ids', 'uuid', 'uuids', 'guid', 'guids', 'uid', 'uids', 'gid', 'oid', 'sub', 'subject'],
  ...['username', 'login', 'nickname', 'slug', 'handle', 'dn', 'cn'],
]);
const JOINED_ID =
  /(?:user|customer|account|external|client|tenant|org|organi[sz]ation|group|member|team|object|device|stripe|firebase|auth0|legacy|profile|contact|person|employee|subscription|parent|company|project)ids?$/;

/** Kind of values in a column, by its name. Secrets do not become metadata. */
export type NameKind = 'secret' | 'id' | 'other';

export const nameKind = oncePerName((name): NameKind => {
  const words = wordsOf(name);
  // The name itself may be a token: it may be a key of a JSON object that describes tokens.
  if (areOfSecret(words) || looksLikeSecret(name, true)) return 'secret';
  return isOfId(words) ? 'id' : 'other';
});

/** `resetToken`, `last_sign_in_ip` and `user_newpassword` name a secret or IP address, `hashtag` does not. */
export const namesSecret = (name: string): boolean => nameKind(name) === 'secret';

function isOfId(words: readonly string[]): boolean {
  const last = words.at(-1) ?? '';
  return ID_WORDS.has(last) || JOINED_ID.test(last);
}
