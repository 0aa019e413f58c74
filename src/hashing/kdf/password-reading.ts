import { isUtf8 } from 'node:buffer';
import { isAlone } from '../../lib/text/normal-form.ts';
import { DIGEST_BYTES, type DigestName, digestFunction } from './digests.ts';
import { addSlashes, isSlashed, normalised, phpTrim, stripSlashes, textOf } from './password-text.ts';

/**
 * What a family digests of a password. Each family has one, so that an upgrade knows whether the new hash, which is of all bytes of
 * one password, would take another password away (src/hashing/upgrade-policy.ts).
 *
 * Only passwords that people type count: texts of characters that Unicode assigns, without control characters. C ends a
 * text at a NUL and HMAC fills its key up with them; if such passwords counted, hardly any hash could be upgraded.
 */
export interface PasswordReading {
  /** Returns the bytes that are digested, or undefined if the password cannot match. */
  of(password: Buffer): Buffer | undefined;
  /** Returns whether no other password comes to the same bytes, or to bytes that the digest takes for the same. */
  isOnly(password: Buffer): boolean;
}

/**
 * What some programs digest in place of a password, and others not, so that both are tried. It is another reading of few passwords
 * only, as each one takes a second computation.
 */
export interface SecondReading {
  /** Returns the password to try next, or undefined where there is only one. */
  of(password: Buffer): Buffer | undefined;
  /** Returns whether the password may be the second reading of another one. Its owner would be locked out by a hash of this one. */
  mayBeOfAnother(password: Buffer): boolean;
}

/** All bytes, as they came. */
export const BYTES: PasswordReading = { of: (password) => password, isOnly: () => true };

/** The text in UTF-16, lowest byte first, without a byte order mark. */
export const UTF16: PasswordReading = {
  of: (password) => (isUtf8(password) ? Buffer.from(password.toString('utf8'), 'utf16le') : undefined),
  isOnly: isUtf8,
};

export type PasswordEncoding = 'utf8' | 'utf16le';

/** What becomes of a password's bytes. */
export const PASSWORD_ENCODINGS: Record<PasswordEncoding, PasswordReading> = { utf8: BYTES, utf16le: UTF16 };

/** The text in upper case. Passwords with letters have another case that matches as well. */
export const UPPER_CASE: PasswordReading = {
  of: (password) => (isUtf8(password) ? Buffer.from(password.toString('utf8').toUpperCase()) : undefined),
  isOnly(password) {
    const text = textOf(password);
    return text !== undefined && text.toUpperCase() === text && text.toLowerCase() === text;
  },
};

/** The text in a normal form of Unicode. */
export const inNormalForm = (form: 'NFC' | 'NFKC'): PasswordReading => ({
  of: (password) => normalised(password, form),
  isOnly(password) {
    const text = textOf(password);
    return text !== undefined && isAlone(text, form);
  },
});

/**
 * The password with PHP's `addslashes`: WordPress puts backslashes into all that a form sends, and hashes passwords so. Programs that
 * create users for it (WP-CLI, importers) mostly do not.
 */
export const SLASHED: SecondReading = {
  of: (password) => (password.some(isSlashed) ? addSlashes(password) : undefined),
  mayBeOfAnother(password) {
    const unslashed = stripSlashes(password);
    return !unslashed.equals(password) && addSlashes(unslashed).equals(password);
  },
};

/**
 * The password in the normal form NFKD, which Flask-Security hashes from version 4 on. Before, it hashed passwords as they were typed. All
 * forms of a text sign in there, full-width ones too, so that any password may be of another one.
 */
export const DECOMPOSED: SecondReading = {
  of(password) {
    const decomposed = normalised(password, 'NFKD');
    return decomposed?.equals(password) ? undefined : decomposed;
  },
  mayBeOfAnother: () => true,
};

/** The password as PHP's `trim` leaves it: whatever it is, it matches with a blank behind it, too. */
export const PHP_TRIMMED: PasswordReading = { of: phpTrim, isOnly: () => false };

/**
 * A password that is the key of an HMAC, and so of PBKDF2, scrypt and SCRAM. A key longer than a block is digested, so that the password
 * and the digest are the same key, where the digest is a text.
 * @param reading what is done to the password before
 */
export function hmacKey(digest: HmacDigest, reading: PasswordReading = BYTES): PasswordReading {
  return {
    of: reading.of,
    isOnly(password) {
      const key = reading.of(password);
      return key !== undefined && reading.isOnly(password) && isOnlyKey(digest, key, reading);
    },
  };
}

export type HmacDigest = DigestName | 'sha3-224' | 'sha3-256' | 'sha3-384' | 'sha3-512';

const BLOCK_BYTES: Record<HmacDigest, number> = {
  md5: 64,
  sha1: 64,
  sha224: 64,
  sha256: 64,
  sha384: 128,
  sha512: 128,
  'sha3-224': 144,
  'sha3-256': 136,
  'sha3-384': 104,
  'sha3-512': 72,
};
const SHA3_BYTES: Record<string, number> = {
  'sha3-224': 28,
  'sha3-256': 32,
  'sha3-384': 48,
  'sha3-512': 64,
};

function isOnlyKey(digest: HmacDigest, key: Buffer, reading: PasswordReading): boolean {
  // A key as long as a digest may be the digest of a longer one. Such pairs are known for SHA-1.
  if (key.length <= BLOCK_BYTES[digest]) return key.length !== digestBytes(digest);
  const digested = digestFunction(digest as DigestName)(key);
  return !(reading === UTF16 ? isTypedUtf16(digested) : isTyped(withoutTrailingNuls(digested)));
}

const digestBytes = (digest: HmacDigest) =>
  digest in DIGEST_BYTES ? DIGEST_BYTES[digest as DigestName] : SHA3_BYTES[digest];

function withoutTrailingNuls(bytes: Buffer): Buffer {
  let end = bytes.length;
  while (end > 0 && bytes[end - 1] === 0) end -= 1;
  return bytes.subarray(0, end);
}

/** Control characters, private use, halves of pairs, and what Unicode has not assigned. */
const UNTYPED = /[\p{Cc}\p{Co}\p{Cs}\p{Cn}]/u;

/** Returns whether the bytes are a password that people type. */
export function isTyped(password: Buffer): boolean {
  const text = textOf(password);
  return text !== undefined && !UNTYPED.test(text);
}

const isTypedUtf16 = (bytes: Buffer) => !UNTYPED.test(bytes.toString('utf16le'));

/** At most so many bytes, what follows is not read: of a password of as many, longer ones match as well. */
export const firstBytes = (most: number): PasswordReading => ({
  of: (password) => password.subarray(0, most),
  isOnly: (password) => password.length < most,
});

/** Passwords of at most so many bytes: longer ones never match. */
export const atMostBytes = (most: number): PasswordReading => ({
  of: (password) => (password.length > most ? undefined : password),
  isOnly: () => true,
});

/** One reading of what another one read. */
export const inTurn = (first: PasswordReading, second: PasswordReading): PasswordReading => ({
  of(password) {
    const read = first.of(password);
    return read && second.of(read);
  },
  isOnly(password) {
    const read = first.of(password);
    return read !== undefined && first.isOnly(password) && second.isOnly(read);
  },
});
