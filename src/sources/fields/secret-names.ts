import { oncePerName } from './column-names.ts';
import { looksLikeSecret } from './looks-like-secret.ts';
import { areOfSecret, wordsOf } from './secret-words.ts';

/** Names of what tells one thing from others, and may be as random as a token. */
const ID_WORDS = new Set([
  ...['id', 'ids', 'uuid', 'uuids', 'guid', 'guids', 'uid', 'uids', 'gid', 'oid', 'sub', 'subject'],
  ...['username', 'login', 'nickname', 'slug', 'handle', 'dn', 'cn'],
]);
const JOINED_ID =
  /(?:user|customer|account|external|client|tenant|org|organi[sz]ation|group|member|team|object|device|stripe|firebase|auth0|legacy|profile|contact|person|employee|subscription|parent|company|project)ids?$/;

/** What the name of a column tells of the values in it. */
export type NameKind = 'secret' | 'id' | 'other';

/** Tells by the words of a name what its values are. */
export const nameKind = oncePerName((name): NameKind => {
  const words = wordsOf(name);
  // A name may be a token itself, of which the value says something.
  if (areOfSecret(words) || looksLikeSecret(name, true)) return 'secret';
  return isOfId(words) ? 'id' : 'other';
});

/**
 * Does a column of this name hold a hash, a token, a secret, or an IP address? Goes by the words of the name: `resetToken`,
 * `last_sign_in_ip`, `user_newpassword`, but not `hashtag`.
 */
export const namesSecret = (name: string): boolean => nameKind(name) === 'secret';

function isOfId(words: readonly string[]): boolean {
  const last = words.at(-1) ?? '';
  return ID_WORDS.has(last) || JOINED_ID.test(last);
}
