/** Words in the names of columns that hold what must not become metadata. */
const SECRET_WORDS = new Set([
  'password',
  'passwords',
  'passwd',
  'passphrase',
  'pass',
  'pw',
  'pwd',
  'hash',
  'hashed',
  'salt',
  'token',
  'tokens',
  'secret',
  'secrets',
  'credential',
  'credentials',
  'otp',
  'totp',
  'mfa',
  'session',
  'sessions',
  'apikey',
  'ip',
]);
/** Two of them in one word, as databases fold `passwordHash`: `passwordhash`, `pwsalt`. */
const JOINED =
  /^(?:pw|pwd|pass|passwd|password)(?:hash|salt|digest)(?:ed)?$|^(?:hashed|encrypted)(?:pw|pwd|password)$/;
const MAX_NAMES = 1000;
const known = new Map<string, boolean>();

/**
 * Does a column of this name hold a hash, a token, a secret, or an IP address? Goes by the words of the name: `resetToken`,
 * `last_sign_in_ip`, but not `hashtag`.
 */
export function namesSecret(name: string): boolean {
  const found = known.get(name);
  if (found !== undefined) return found;
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/);
  const isSecret = words.some(
    (word, index) =>
      SECRET_WORDS.has(word) || JOINED.test(word) || (word === 'api' && words[index + 1] === 'key'),
  );
  // Names come from the file, which may have any number of them.
  if (known.size < MAX_NAMES) known.set(name, isSecret);
  return isSecret;
}
