/**
 * What goes wrong when hashes are exported, or put together from the columns of an export, and what to do about it.
 * Clients rely on the codes, so they never change; a test compares them with docs/hash-formats.md.
 */
export const MISTAKES = {
  ARGON2_VERSION_MISSING:
    'The hash is of argon2 version 19, and without a version it is read as 16: put v=19$ behind the type.',
  BCRYPT_2X_MISLABELLED:
    'The label is wrong: $2x$ belongs to hashes made with the sign-extension bug of old crypt_blowfish, and to no others.',
  HASH_AND_SALT_SWAPPED:
    'Hash and salt have changed places: in external scrypt the hash comes first, elsewhere mostly the salt.',
  HASH_WRAPPED:
    'Something stands around the hash (a scheme name, quotes, backslashes): send what begins at its own $ sign.',
  HEX_INSTEAD_OF_BASE64: 'Salt or digest are in hexadecimal digits: write their bytes in base64.',
  MEM_COST_AND_ROUNDS_SWAPPED:
    'The costs have changed places: m= is the memory; the passes of argon2 are t=, the block size of external scrypt is r=.',
  PASSWORD_IN_LATIN1:
    'The hash was made from the password in Latin-1 or windows-1252. Here it is UTF-8: users whose passwords go beyond ASCII need a new one.',
  PASSWORD_NORMALIZED:
    'The hash was made from another Unicode normal form of the password (NFC or NFD): send that form at sign-in.',
  PASSWORD_WHITESPACE:
    'The hash was made with a line break behind the password, or from the password without the white space around it.',
  SALT_AND_SEPARATOR_SWAPPED: 'Salt and salt separator have changed places: s= is the separator.',
  SIGNER_KEY_LENGTH:
    'The signer key is the right one as far as key and hash both go, but one of the two is cut off or has something behind it.',
  URL_SAFE_OR_UNPADDED_BASE64:
    'Salt or digest are in another base64 than this format has: the alphabet or the padding differs.',
} as const;

export type MistakeCode = keyof typeof MISTAKES;
