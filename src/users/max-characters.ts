/** Maximum number of characters (code points) in the texts of a user, for every way of input. */
export const MAX_CHARACTERS = {
  /** Longer than any address. The limit of the address itself is checked after normalisation. */
  email: 1024,
  /** Limits the work of hashing. It is far above any password in use. */
  password: 65_536,
  passwordHash: 65_536,
  hashingAlgorithm: 65_536,
  hashingSecretId: 64,
  /** Id of a third-party provider, or of a user there. */
  identity: 256,
  /** Id of a user or login method in a former system. */
  externalId: 128,
} as const;

/** Returns whether the text is too long. It counts characters only if the number of UTF-16 units does not decide. */
export function isLongerThan(text: string, maxCharacters: number): boolean {
  if (text.length <= maxCharacters) return false;
  return text.length > 2 * maxCharacters || [...text].length > maxCharacters;
}
