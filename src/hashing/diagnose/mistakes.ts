/**
 * What goes wrong when hashes are exported, or put together from the columns of an export, and what to do about it.
 * Clients rely on the codes, so they never change; a test compares them with docs/hash-formats.md.
 */
export const MISTAKES = {
  ALGORITHM_MISNAMED: 'The hash is of another family that looks the same, and the password matches there.',
  ANOTHER_SECRET: 'The hash was made with another of the configured secrets: name it as hashingSecretId.',
  ARGON2_VERSION_MISSING:
    'The hash is of argon2 version 19, and without a version it is read as 16: put v=19$ behind the type.',
  BASE64_INSTEAD_OF_HEX:
    'The hash is in base64 or in capital letters: write its bytes in lower-case hexadecimal digits.',
  BCRYPT_2X_MISLABELLED:
    'The label is wrong: $2x$ belongs to hashes made with the sign-extension bug of old crypt_blowfish, and to no others.',
  HASH_AND_SALT_SWAPPED:
    'Hash and salt have changed places: in external scrypt the hash comes first, elsewhere mostly the salt.',
  HASH_WRAPPED:
    'Something stands around the hash (a scheme name, quotes, backslashes): send what begins at its own $ sign.',
  HEX_INSTEAD_OF_BASE64: 'Salt or digest are in hexadecimal digits: write their bytes in base64.',
  ITERATIONS_OF_A_VERSION:
    'The iterations are those that another version of the system has by default: take them from where the hash was kept, or from the configuration of that time.',
  MEM_COST_AND_ROUNDS_SWAPPED:
    'The costs have changed places: m= is the memory; the passes of argon2 are t=, the block size of external scrypt is r=.',
  PASSWORD_HTML_ESCAPED: `The hash was made from the password with & < > " and ' as HTML writes them. Here it is taken as typed: users whose passwords have such characters need a new one.`,
  PASSWORD_IN_LATIN1:
    'The hash was made from the password in Latin-1 or windows-1252. Here it is UTF-8: users whose passwords go beyond ASCII need a new one.',
  PASSWORD_IN_UTF16:
    'The hash was made from the password in UTF-16, or in UTF-8 where the hash says UTF-16: put e=utf16le into the parameters, or take it out.',
  PASSWORD_LOWER_CASED:
    'The hash was made from the password in lower case. Here it is taken as typed: users whose passwords have capital letters need a new one.',
  PASSWORD_NORMALIZED:
    'The hash was made from another Unicode normal form of the password (NFC or NFD): send that form at sign-in.',
  PASSWORD_SLASHED: `The hash was made from the password with a backslash before each ' " and backslash, as WordPress does: name wordpress-compat for its bcrypt, argon2 and MD5 hashes. Otherwise these users need a new password.`,
  PASSWORD_WHITESPACE:
    'The hash was made with a line break behind the password, or from the password without the white space around it.',
  PEPPER_MISSING:
    'The hash was made with a pepper that is configured here, and belongs to the family that uses it.',
  SALT_AND_SEPARATOR_SWAPPED: 'Salt and salt separator have changed places: s= is the separator.',
  SALT_AS_TEXT:
    'The characters of the salt were taken for the salt: it is their hexadecimal digits or base64 that must be decoded.',
  SALT_DECODED:
    'The salt was decoded, but its characters are the salt, just as the system stores them: take the base64 of that text.',
  SALT_ORDER: 'Salt and password have changed places: correct o= (or k=, which of the two is the key).',
  SCRYPT_BLOCK_SIZE: 'The block size of scrypt is another one: r=16 for r=8, or the other way round.',
  SIGNER_KEY_LENGTH:
    'The signer key is the right one as far as key and hash both go, but one of the two is cut off or has something behind it.',
  URL_SAFE_OR_UNPADDED_BASE64:
    'Salt or digest are in another base64 than this format has: the alphabet or the padding differs.',
  WRONG_DIGEST: 'The digest is another one: name that of the hash (sha1, sha256, sha512).',
} as const;

export type MistakeCode = keyof typeof MISTAKES;
