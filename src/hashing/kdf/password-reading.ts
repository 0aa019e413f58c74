import { isAscii, isUtf8 } from 'node:buffer';
import { isAlone } from '../../lib/text/normal-form.ts';
import { DIGEST_BYTES, type DigestName, digestFunction } from './digests.ts';
import {
  addSlashes,
  ESCAPED_BYTES,
  escapeHtml,
  includesAny,
  normalised,
  phpTrim,
  SLASHED_BYTES,
  stripSlashes,
  textOf,
  unescapeHtml,
} from './password-text.ts';

/**
 * Way in which hashes of a family read a password: which bytes they digest, and whether another password
 * gives the same bytes. An upgrade would stop the other password from working
 * (src/hashing/upgrade-policy.ts).
 * Only passwords that people could type count: assigned Unicode characters without control characters. A C
 * string ends at a NUL, and HMAC pads its key with NULs. If passwords with NULs counted, hardly any hash
 * could be upgraded.
 */
export interface PasswordReading {
  /** Returns the bytes of the password that the hash digests, or undefined if the password cannot match. */
  of(password: Buffer): Buffer | undefined;
  /** Returns whether no other password gives the same bytes, or bytes that the digest cannot distinguish. */
  isOnly(password: Buffer): boolean;
}

/**
 * A second form that some programs hash instead of the password. Both are tried, which doubles the cost, so
 * only few passwords should have a second form.
 */
export interface SecondReading {
  /**
   * Returns whether the password may have a second form. The event loop calls `mayDiffer`, so it must take
   * microseconds for any length.
   */
  mayDiffer(password: Buffer): boolean;
  /** Returns the second form of the password, or undefined if it equals the password. */
  of(password: Buffer): Buffer | undefined;
  /**
   * Returns whether the password may be another one's second form. A new hash of it would then lock out its
   * owner.
   */
  mayBeOfAnother(password: Buffer): boolean;
}

export const BYTES: PasswordReading = { of: (password) => password, isOnly: () => true };

/** UTF-16LE without a byte order mark. */
export const UTF16: PasswordReading = {
  of: (password) => (isUtf8(password) ? Buffer.from(password.toString('utf8'), 'utf16le') : undefined),
  isOnly: isUtf8,
};

export type PasswordEncoding = 'utf8' | 'utf16le';

export const PASSWORD_ENCODINGS: Record<PasswordEncoding, PasswordReading> = { utf8: BYTES, utf16le: UTF16 };

/** A password with letters is not the only one that matches, because its letters may be in the other case. */
export const UPPER_CASE: PasswordReading = {
  of: (password) => (isUtf8(password) ? Buffer.from(password.toString('utf8').toUpperCase()) : undefined),
  isOnly(password) {
    const text = textOf(password);
    return text !== undefined && text.toUpperCase() === text && text.toLowerCase() === text;
  },
};

export const inNormalForm = (form: 'NFC' | 'NFKC'): PasswordReading => ({
  of: (password) => normalised(password, form),
  isOnly(password) {
    const text = textOf(password);
    return text !== undefined && isAlone(text, form);
  },
});

/**
 * Applies PHP's `addslashes` to a password. WordPress adds backslashes to everything that a form sends, and
 * hashes passwords in that form. Programs that create WordPress users (WP-CLI, importers) mostly do not.
 */
export const SLASHED: SecondReading = {
  mayDiffer: (password) => includesAny(password, SLASHED_BYTES),
  of: (password) => (includesAny(password, SLASHED_BYTES) ? addSlashes(password) : undefined),
  mayBeOfAnother(password) {
    const unslashed = stripSlashes(password);
    return !unslashed.equals(password) && addSlashes(unslashed).equals(password);
  },
};

/**
 * PHP's `htmlspecialchars`: phpBB escapes everything that a form sends, and hashes passwords in that form.
 */
export const HTML_ESCAPED: SecondReading = {
  mayDiffer: (password) => includesAny(password, ESCAPED_BYTES),
  of(password) {
    const escaped = escapeHtml(password);
    return escaped.length === password.length ? undefined : escaped;
  },
  mayBeOfAnother(password) {
    const unescaped = unescapeHtml(password);
    return unescaped.length !== password.length && escapeHtml(unescaped).equals(password);
  },
};

/**
 * Normal form NFKD, which Flask-Security hashes since version 4; earlier versions hashed passwords as typed.
 * Several texts have the same NFKD form (for example with full-width letters), and all of them sign in.
 */
export const DECOMPOSED: SecondReading = {
  mayDiffer: (password) => !isAscii(password),
  of(password) {
    const decomposed = normalised(password, 'NFKD');
    return decomposed?.equals(password) ? undefined : decomposed;
  },
  mayBeOfAnother: () => true,
};

/** Every password also matches with a blank at its end, which PHP's `trim` removes. */
export const PHP_TRIMMED: PasswordReading = { of: phpTrim, isOnly: () => false };

/** Reads a password as phpBB does: escaped for HTML, and then in normal form NFC. */
export const AS_PHPBB_READS: PasswordReading = inTurn(
  { of: escapeHtml, isOnly: () => true },
  inNormalForm('NFC'),
);

/**
 * Key of HMAC, as in PBKDF2, scrypt and SCRAM. HMAC digests a key that is longer than its block, so a long
 * password and its digest are the same key. This matters only if the digest is text that somebody could type.
 * @param reading applied to the password first
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
  // A password as long as a digest may be the digest of a longer password. Such pairs are known for SHA-1.
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

/** Matches what nobody types: control characters, private use, surrogates, unassigned code points. */
const UNTYPED = /[\p{Cc}\p{Co}\p{Cs}\p{Cn}]/u;

export function isTyped(password: Buffer): boolean {
  const text = textOf(password);
  return text !== undefined && !UNTYPED.test(text);
}

const isTypedUtf16 = (bytes: Buffer) => !UNTYPED.test(bytes.toString('utf16le'));

/** A password of `most` bytes or more also matches with anything appended. */
export const firstBytes = (most: number): PasswordReading => ({
  of: (password) => password.subarray(0, most),
  isOnly: (password) => password.length < most,
});

export const atMostBytes = (most: number): PasswordReading => ({
  of: (password) => (password.length > most ? undefined : password),
  isOnly: () => true,
});

export function inTurn(first: PasswordReading, second: PasswordReading): PasswordReading {
  return {
    of(password) {
      const read = first.of(password);
      return read && second.of(read);
    },
    isOnly(password) {
      const read = first.of(password);
      return read !== undefined && first.isOnly(password) && second.isOnly(read);
    },
  };
}
