/** The most characters (code points) that the texts of a user may have, whichever way they come in. */
export const MAX_CHARACTERS = {
  /** Longer than any address. The limit of an address itself is checked once it is normalised. */
  email: 1024,
  /** Bounds the work of hashing, far above any password in use. */
  password: 65_536,
  passwordHash: 65_536,
  hashingAlgorithm: 65_536,
  hashingSecretId: 64,
  /** The id of a third-party provider, or of a user there. */
  identity: 256,
  /** The id a former system knew a user or a login method by. */
  externalId: 128,
} as const;

/** Counts characters only where the length in UTF-16 units leaves a doubt. */
export function isLongerThan(text: string, maxCharacters: number): boolean {
  if (text.length <= maxCharacters) return false;
  return text.length > 2 * maxCharacters || [...text].length > maxCharacters;
}
