/** Maximum numbers of characters (code points) in the texts of a user, however they are sent. */
export const MAX_CHARACTERS = {
  /** Length of an address as sent. A stricter limit is checked after normalisation. */
  email: 1024,
  /** Limits the work of hashing, and is far above the length of any password in use. */
  password: 65_536,
  passwordHash: 65_536,
  hashingAlgorithm: 65_536,
  hashingSecretId: 64,
  /** Length of the id of a third-party provider, or of a user of that provider. */
  identity: 256,
  externalId: 128,
} as const;

/** Characters are counted only if the number of UTF-16 units does not decide. */
export function isLongerThan(text: string, maxCharacters: number): boolean {
  if (text.length <= maxCharacters) return false;
  return text.length > 2 * maxCharacters || [...text].length > maxCharacters;
}
