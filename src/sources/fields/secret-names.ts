import { oncePerName } from './column-names.ts';
import { looksLikeSecret } from './looks-like-secret.ts';

/** Words in the names of columns that hold what must not become metadata. Digits may follow: `token2`. */
const SECRET_WORDS = new Set([
  'password',
  'passwords',
  'passwd',
  'passphrase',
  'passcode',
  'pass',
  'pw',
  'pwd',
  'pswd',
  'psw',
  'passwort',
  'kennwort',
  'senha',
  'contrasena',
  'contraseña',
  'mdp',
  'wachtwoord',
  'heslo',
  'haslo',
  'пароль',
  '密码',
  'hash',
  'hashes',
  'hashed',
  'salt',
  'token',
  'tokens',
  'secret',
  'secrets',
  'credential',
  'credentials',
  'creds',
  'jwt',
  'bearer',
  'cookie',
  'cookies',
  'nonce',
  'verifier',
  'otp',
  'totp',
  'hotp',
  'mfa',
  '2fa',
  'session',
  'sessions',
  'apikey',
  'apikeys',
  'ip',
  'ips',
  'cvv',
  'cvc',
]);

/** Words that stand before `key`, `code` and the like where it opens something: `api_key`, `recovery_codes`. */
const OPENS =
  'api|access|account|activation|app|auth|authentication|authenticator|backup|client|confirm|confirmation|confirmed|email|emergency|encryption|factor|2fa|invitation|invite|login|magic|master|mfa|otp|password|private|recovery|refresh|register|remember|reset|scratch|secret|secure|security|service|session|shared|signer|signing|sms|totp|unlock|user|validation|verification|verify|webauthn';
const OPENER = 'keys?|codes?|answers?|stamps?|pins?|strings?|links?';
const PAIR = new RegExp(`(?:^|\\s)(?:${OPENS})\\s?(?:${OPENER})(?=\\s|$)`);
/** Pairs that are part of how to reach or show a person, and open nothing. */
const HARMLESS_PAIR =
  /(?:^|\s)(?:account|user|app|client|service|invite|invitation)\s?(?:codes?|links?|strings?)(?=\s|$)/g;

/** Words that end or begin so are made of two, as databases fold `newPassword`: `newpassword`, `verificationtoken`, `pwsalt`. */
const JOINED = [
  /(?:password|passwd|passphrase|passcode|pwd|token|secret|credential|apikey|cookie|jwt)s?$/,
  /^(?:password|passwd|pwd|pw|pass)(?:hash|salt|digest|enc|crypt|md|sha|reset|token|key|change|expir|question|answer|history)/,
  /^(?:hash|salt|digest|secret|token)(?:ed)?(?:hash|salt|key|code|value|data|answer|question|pw|pwd|pass)s?$/,
  /(?:pw|pwd|pass|pre|password|user|old|new|email|cookie|remember|auth)(?:hash|salt)$/,
  /^(?:md[45]|sha\d{1,3})$/,
  /^(?:hashed|encrypted|crypted|salted)(?:pw|pwd|pass)$/,
  /^(?:hmac|totp|hotp|otp|mfa|webauthn|twofactor|fido)(?:auth|secret|key|seed|code|backup|recovery|enabled|type|config|data|device|credential|active|required|method|factor)/,
  /^(?:ip(?:addr(?:ess)?|v)?|(?:last|first|login|client|remote|signup|signin|sign|register|registration|registered|reg|user|created?|creation|current|source|host|visitor|lastlogin|lastsignin|currentsignin)ip)(?:es|s)?$/,
  /^(?:last|first|current|previous)?sessions?(?:id|key|data|hash|value)s?$/,
];

/** Names of what tells one thing from others, and may be as random as a token. */
const ID_WORDS = new Set([
  ...['id', 'ids', 'uuid', 'uuids', 'guid', 'guids', 'uid', 'uids', 'gid', 'oid', 'sub', 'subject', 'ref'],
  ...['reference', 'username', 'login', 'nickname', 'slug', 'handle', 'dn', 'cn'],
]);
const JOINED_ID =
  /(?:user|customer|account|external|client|tenant|org|organi[sz]ation|group|member|team|object|device|stripe|firebase|auth0|legacy|profile|contact|person|employee|subscription|parent|company|project)ids?$/;

/** What the name of a column tells of the values in it. */
export type NameKind = 'secret' | 'id' | 'other';

/** Tells by the words of a name what its values are. */
export const nameKind = oncePerName((name): NameKind => {
  const words = wordsOf(name);
  // A name may be a token itself, of which the value says something.
  if (isOfSecrets(words) || looksLikeSecret(name, true)) return 'secret';
  return isOfId(words) ? 'id' : 'other';
});

/**
 * Does a column of this name hold a hash, a token, a secret, or an IP address? Goes by the words of the name: `resetToken`,
 * `last_sign_in_ip`, `user_newpassword`, but not `hashtag`.
 */
export const namesSecret = (name: string): boolean => nameKind(name) === 'secret';

const isOfSecrets = (words: readonly string[]) =>
  words.some((word) => isSecretWord(word) || isSecretWord(word.replace(/\d+$/, ''))) ||
  PAIR.test(words.join(' ').replace(HARMLESS_PAIR, ' '));

const isSecretWord = (word: string) =>
  SECRET_WORDS.has(word) || JOINED.some((expression) => expression.test(word));

function isOfId(words: readonly string[]): boolean {
  const last = words.at(-1) ?? '';
  return ID_WORDS.has(last) || JOINED_ID.test(last);
}

/** Lower case: `lastSignInIPs` → last, sign, in, ips. */
const wordsOf = (name: string): string[] =>
  name
    .replace(/([\p{Ll}\d])(\p{Lu})/gu, '$1 $2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll}{2})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\d]+/u);
