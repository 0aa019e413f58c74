/** Mistakes in exported hashes, each with its remedy. Clients rely on the codes, so they never change. */
export const MISTAKES = {
  ALGORITHM_MISNAMED:
    'The hash belongs to another family with the same format, and the password matches there.',
  ANOTHER_SECRET: 'The hash was made with another configured secret. Name that secret as hashingSecretId.',
  ARGON2_VERSION_MISSING:
    'The hash has argon2 version 19, but a hash without a version is read as version 16. Insert v=19$ after the type.',
  BASE64_INSTEAD_OF_HEX:
    'The hash is in base64 or in upper-case hexadecimal. Write its bytes in lower-case hexadecimal digits.',
  BCRYPT_2X_MISLABELLED:
    'The hash has the wrong prefix. $2x$ is only for hashes made with the sign-extension bug of old crypt_blowfish.',
  HASH_AND_SALT_SWAPPED:
    'Hash and salt are swapped. In external scrypt the hash comes first, in most other formats the salt.',
  HASH_IN_PIECES:
    'The text has a salt and a hash beside each other, and does not say how they belong together. Send them in a form that says it, as a template of user-import writes it.',
  HASH_WRAPPED:
    'The hash is surrounded by other text (a scheme name, quotes, backslashes). Send only the hash, from its own $ sign on.',
  HEX_INSTEAD_OF_BASE64: 'Salt or digest are in hexadecimal digits. Write their bytes in base64.',
  HEX_IN_BASE64:
    'The digest is the base64 of hexadecimal digits. Decode it to the digits, and write the base64 of their bytes.',
  ITERATIONS_OF_A_VERSION:
    'The iterations are the default of another version of the system. Take the number from where the hash was stored, or from the configuration of that time.',
  MEM_COST_AND_ROUNDS_SWAPPED:
    'The costs are swapped. m= is the memory cost; t= is the number of passes in argon2, and r= is the block size in external scrypt.',
  PASSWORD_HTML_ESCAPED: `The hash was made from the password with & < > " and ' escaped for HTML. This service hashes passwords as typed, so users with these characters in their password need a new one.`,
  PASSWORD_IN_LATIN1:
    'The hash was made from the password in Latin-1 or windows-1252. This service uses UTF-8, so users with characters beyond ASCII in their password need a new one.',
  PASSWORD_IN_UTF16:
    'The hash was made from the password in UTF-16, or in UTF-8 although the hash says UTF-16.',
  PASSWORD_LOWER_CASED:
    'The hash was made from the password in lower case. This service hashes passwords as typed, so users with capital letters in their password need a new one.',
  PASSWORD_NORMALIZED:
    'The hash was made from another Unicode normal form of the password (NFC or NFD). Send that form at sign-in.',
  PASSWORD_SLASHED: `The hash was made from the password with a backslash before each ' " and backslash, as WordPress does. Name wordpress-compat for its bcrypt, argon2 and MD5 hashes. For other hashes, these users need a new password.`,
  PASSWORD_WHITESPACE:
    'The hash was made from the password followed by a line break, or from the password without the white space around it.',
  PEPPER_MISSING:
    'The hash was made with a pepper that is configured here. It belongs to the family that uses the pepper.',
  ROUNDS_OF_TEXT: 'Each round digests the previous result as text, not as bytes.',
  SALTED_DIGEST:
    'The hash is a digest of salt and password, or of the password alone. Send it as a salted digest of docs/hash-formats.md, as a template of user-import writes it.',
  SALT_AND_SEPARATOR_SWAPPED: 'Salt and salt separator are swapped: s= is the separator.',
  SALT_AS_TEXT:
    'The characters of the salt were used as the salt. They are hexadecimal digits or base64 and must be decoded first.',
  SALT_DECODED: 'The salt was decoded, but its stored characters are the salt. Send the base64 of that text.',
  SALT_ORDER: 'Salt and password are in the wrong order, or in the wrong roles of key and message.',
  SCRYPT_BLOCK_SIZE: 'The block size of scrypt is wrong.',
  SIGNER_KEY_LENGTH:
    'The signer key is right except for its length: the key or the hash is cut off, or has extra bytes at its end.',
  URL_SAFE_OR_UNPADDED_BASE64:
    'Salt or digest are in a different base64 than this format requires: the alphabet or the padding differs.',
  WRONG_DIGEST: 'The hash was made with another digest.',
} as const;

export type MistakeCode = keyof typeof MISTAKES;

/**
 * Hash string that may be the original one, before a mistake in the export changed it. `secret` is set if the
 * configured secret may be wrong instead of the hash: the hash then parses with `secret`.
 */
export interface PossibleRepair {
  mistake: MistakeCode;
  encoded: string;
  /** Parameter of the repaired hash, such as `o=ps`, or its family. It has nothing of salt and digest. */
  change?: string;
  secret?: Uint8Array;
}
