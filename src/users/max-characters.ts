/** The most characters (code points) that the texts of a user may have, whichever way they come in. */
export const MAX_CHARACTERS = {
  /** Longer than any address; what an address may be is decided once it is normalised. */
  email: 1024,
  /** Bounds the work of hashing, far above any password in use. */
  password: 65_536,
  passwordHash: 65_536,
  hashingAlgorithm: 65_536,
  /** Of a third-party provider, or of a user there. */
  identity: 256,
  /** The id a former system knew a user or a login method by. */
  externalId: 128,
} as const;

/** Characters are counted only where the length leaves a doubt. */
export function isLongerThan(text: string, maxCharacters: number): boolean {
  if (text.length <= maxCharacters) return false;
  return text.length > 2 * maxCharacters || [...text].length > maxCharacters;
}
