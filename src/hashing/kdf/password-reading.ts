import { isAscii, isUtf8 } from 'node:buffer';
import { isAlone, normalForm } from '../../lib/text/characters.ts';
import { DIGEST_BYTES, type DigestName, digestFunction } from './digests.ts';

/**
 * Returns the password as text, or undefined if it is not UTF-8. Keeps a byte order mark, because it is part of the
 * password.
 */
export const textOf = (password: Buffer): string | undefined =>
  isUtf8(password) ? password.toString('utf8') : undefined;

/** Returns the password in a normal form. Undefined if it is not UTF-8, or too long to be normalised. */
function normalised(password: Buffer, form: 'NFC' | 'NFKC' | 'NFKD'): Buffer | undefined {
  const text = textOf(password);
  const normal = text === undefined ? undefined : normalForm(text, form);
  return normal === undefined ? undefined : Buffer.from(normal, 'utf8');
}

/** Bytes that PHP's `trim` strips from a password. JavaScript's `trim` strips more, such as U+00A0. */
const PHP_BLANKS = new Set(Buffer.from(' \n\r\t\v\0'));

export function phpTrim(password: Buffer): Buffer {
  const isKept = (byte: number) => !PHP_BLANKS.has(byte);
  return password.subarray(Math.max(0, password.findIndex(isKept)), password.findLastIndex(isKept) + 1);
}

/**
 * Returns whether a password contains one of the bytes. Searches each byte with native code, because passwords may be
 * long.
 */
const includesAny = (password: Buffer, bytes: Buffer): boolean =>
  bytes.some((byte) => password.includes(byte));

/** Latin-1 keeps every byte. */
const replaced = (password: Buffer, pattern: RegExp, by: (match: string) => string): Buffer =>
  Buffer.from(password.toString('latin1').replace(pattern, by), 'latin1');

const SLASHED_BYTES = Buffer.from('\0"\'\\');

/** Returns the password as PHP's `addslashes` changes it. A NUL becomes `\0`. */
export const addSlashes = (password: Buffer): Buffer =>
  replaced(password, /[\0"'\\]/g, (one) => (one === '\0' ? '\\0' : `\\${one}`));

/** Reverses PHP's `addslashes`. Also removes backslashes that `addslashes` would not have written. */
export const stripSlashes = (password: Buffer): Buffer =>
  replaced(password, /\\./gs, (pair) => (pair === '\\0' ? '\0' : pair.charAt(1)));

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '"': '&quot;', '<': '&lt;', '>': '&gt;' };
const CHARACTERS = new Map(Object.entries(ENTITIES).map(([character, entity]) => [entity, character]));
const ESCAPED_BYTES = Buffer.from(Object.keys(ENTITIES).join(''));

const escapedAs = (entities: Readonly<Record<string, string>>) => (password: Buffer) =>
  replaced(password, /\W/g, (one) => entities[one] ?? one);

/** PHP's `htmlspecialchars` with ENT_COMPAT, which keeps single quotes. */
export const escapeHtml = escapedAs(ENTITIES);

/** PHP's `htmlspecialchars` with its default flags since PHP 8.1. */
export const escapeHtmlAndQuotes = escapedAs({ ...ENTITIES, "'": '&#039;' });

/** Escapes a password as IP.Board escaped all its input. */
export const escapeIpb = escapedAs({ ...ENTITIES, '\\': '&#092;', '!': '&#33;', $: '&#036;', "'": '&#39;' });

export const unescapeHtml = (password: Buffer): Buffer =>
  replaced(password, /&(?:amp|quot|lt|gt);/g, (entity) => CHARACTERS.get(entity) ?? entity);

/** Characters of code page 437 (DOS) from 0x80 to 0xff. */
const UPPER_HALF =
  'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0';

const UPPER_CODES = new Map([...UPPER_HALF].map((character, index) => [character, 0x80 + index]));

/** Returns a text in code page 437. Undefined if the code page lacks a character. */
export function toCodePage437(text: string): Buffer | undefined {
  const bytes = [...text].map((character) => {
    const code = character.codePointAt(0) ?? 0;
    return code < 0x80 ? code : UPPER_CODES.get(character);
  });
  return bytes.some((byte) => byte === undefined) ? undefined : Buffer.from(bytes as number[]);
}

/** SASLprep's tables of characters (RFC 3454): C.1.2 has spaces, and B.1 has characters that are removed. */
const SPACES = /[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]/gu;
const NOTHING = /\u034f|[\u180b-\u180d]|[\ufe00-\ufe0f]|[\u00ad\u1806\u200b-\u200d\u2060\ufeff]/gu;
/** Characters that SASLprep prohibits in its result (RFC 3454, C.2 to C.9). */
const PROHIBITED =
  /[\p{Cc}\p{Co}\p{Noncharacter_Code_Point}\u06dd\u070f\u180e\u200e\u200f\u2028-\u202e\u2061-\u2063\u206a-\u206f\u2ff0-\u2ffb\ufff9-\ufffd\u{1d173}-\u{1d17a}\u{e0001}\u{e0020}-\u{e007f}]/u;

/**
 * Prepares a password with SASLprep (RFC 4013). A password that SASLprep refuses, or that is too long to be
 * normalised, is returned unchanged, as PostgreSQL does with refused passwords. Two rules are omitted:
 * characters must be assigned in Unicode 3.2, and the rules for right-to-left text. Both only refuse text,
 * and NFKC hardly ever changes such text.
 */
export function saslprep(password: Buffer): Buffer {
  const text = textOf(password);
  if (text === undefined) return password;
  const prepared = normalForm(text.replace(NOTHING, '').replace(SPACES, ' '), 'NFKC') ?? '';
  return prepared === '' || PROHIBITED.test(prepared) ? password : Buffer.from(prepared, 'utf8');
}

/**
 * Way in which hashes of a family read a password: which bytes they digest, and whether another password
 * gives the same bytes. An upgrade would stop the other password from working
 * (isUpgradeDue in src/hashing/passwords.ts).
 * Only passwords that people could type count: assigned Unicode characters without control characters. A C
 * string ends at a NUL, and HMAC pads its key with NULs. If passwords with NULs counted, hardly any hash
 * could be upgraded.
 */
export interface PasswordReading {
  /** Returns the bytes of the password that the hash digests, or undefined if the password cannot match. */
  of(password: Buffer): Buffer | undefined;
  /** Returns whether no other password gives the same bytes, or bytes that the digest cannot distinguish. */
  isOnly(password: Buffer): boolean;
  /** Whether passwords that people type are digested as they are, so that other systems can verify the hash. */
  keepsText?: true;
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
   * Returns whether the password may be the second form of another password. The owner may type that other password,
   * and would be locked out by a new hash of this one.
   */
  mayBeOfAnother(password: Buffer): boolean;
}

export const BYTES: PasswordReading = { of: (password) => password, isOnly: () => true, keepsText: true };

/** UTF-16LE without a byte order mark. */
export const UTF16: PasswordReading = {
  of: (password) => (isUtf8(password) ? Buffer.from(password.toString('utf8'), 'utf16le') : undefined),
  isOnly: isUtf8,
};

/**
 * Converts a password to upper case. A password with letters is not the only one that matches, because its letters may
 * be in the other case.
 */
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

/** @param bytes the bytes that are escaped */
const escapedBy = (
  bytes: Buffer,
  escapeAll: (password: Buffer) => Buffer,
  unescapeAll: (password: Buffer) => Buffer,
): SecondReading => ({
  mayDiffer: (password) => includesAny(password, bytes),
  of: (password) => (includesAny(password, bytes) ? escapeAll(password) : undefined),
  mayBeOfAnother(password) {
    const unescaped = unescapeAll(password);
    return !unescaped.equals(password) && escapeAll(unescaped).equals(password);
  },
});

/**
 * Applies PHP's `addslashes` to a password. WordPress adds backslashes to everything that a form sends, and
 * hashes passwords in that form. Programs that create WordPress users (WP-CLI, importers) mostly do not.
 */
export const SLASHED = escapedBy(SLASHED_BYTES, addSlashes, stripSlashes);

/**
 * PHP's `htmlspecialchars`: phpBB escapes everything that a form sends, and hashes passwords in that form.
 */
export const HTML_ESCAPED = escapedBy(ESCAPED_BYTES, escapeHtml, unescapeHtml);

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

/**
 * Prepares a password with SASLprep. Every password has other forms with the same result, for example with full-width
 * letters.
 */
export const SASLPREP: PasswordReading = { of: saslprep, isOnly: () => false };

/** Removes blanks like PHP's `trim`. Every password also matches with a blank at its end. */
export const PHP_TRIMMED: PasswordReading = { of: phpTrim, isOnly: () => false };

/** Reads a password as phpBB does: escaped for HTML, and then in normal form NFC. */
export const AS_PHPBB_READS: PasswordReading = inTurn(
  { of: escapeHtml, isOnly: () => true },
  inNormalForm('NFC'),
);

/** Bytes of the block of a digest, to which HMAC pads its key. */
function blockBytes(digest: DigestName): number {
  if (digest.startsWith('sha3-')) return 200 - 2 * DIGEST_BYTES[digest];
  return DIGEST_BYTES[digest] > 32 ? 128 : 64;
}

/**
 * Returns whether no other password is the same key of HMAC, as in PBKDF2, scrypt and SCRAM. HMAC digests a key
 * that is longer than its block, so a long password and its digest are the same key. This matters only if the
 * digest is text that somebody could type.
 * @param isUtf16 whether the key is a password in UTF-16
 */
export function isOnlyHmacKey(digest: DigestName, key: Buffer, isUtf16 = false): boolean {
  // A password as long as a digest may be the digest of a longer password. Such pairs are known for SHA-1.
  if (key.length <= blockBytes(digest)) return key.length !== DIGEST_BYTES[digest];
  const digested = digestFunction(digest)(key);
  const text = isUtf16 ? digested.toString('utf16le') : textOf(digested)?.replace(/\0+$/, '');
  return text === undefined || UNTYPED.test(text);
}

/** Matches what nobody types: control characters, private use, surrogates, unassigned code points. */
const UNTYPED = /[\p{Cc}\p{Co}\p{Cs}\p{Cn}]/u;

export function isTyped(password: Buffer): boolean {
  const text = textOf(password);
  return text !== undefined && !UNTYPED.test(text);
}

/** Reads the first `most` bytes. A password of `most` bytes or more also matches with anything appended. */
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

/** libxcrypt's CRYPT_MAX_PASSPHRASE_SIZE is 512 with the NUL. A longer password gets no hash. */
export const MAX_CRYPT_PASSWORD_BYTES = 511;

/** Reads a whole password, even after a NUL. As in crypt(3), its length is limited. */
export const WHOLE_CRYPT_PASSWORD: PasswordReading = {
  ...atMostBytes(MAX_CRYPT_PASSWORD_BYTES),
  keepsText: true,
};

function untilNul(password: Buffer): Buffer {
  const end = password.indexOf(0);
  return end === -1 ? password : password.subarray(0, end);
}

/** Reads a password up to its first NUL, as crypt(3) does: `a` and `a␀b` are the same password. */
export const C_STRING: PasswordReading = {
  of: (password) => WHOLE_CRYPT_PASSWORD.of(untilNul(password)),
  isOnly: (password) => !password.includes(0),
  keepsText: true,
};

/** Reads the first bytes of a C string, seven bits of each byte. */
export const desReading = (bytes: number): PasswordReading => ({
  of: (password) => untilNul(password).subarray(0, bytes),
  isOnly: (password) => password.length < bytes && !password.includes(0) && !hasEightBitForm(password, bytes),
});

export const SEVEN_BITS: PasswordReading = {
  of: (password) => password,
  isOnly: (password) => !hasEightBitForm(password, Number.POSITIVE_INFINITY),
};

const DES_BLOCK_BYTES = 8;

/**
 * Returns whether another text has the same lower seven bits in each byte. DES reads `é` as `C)`, so every
 * text with characters beyond ASCII is equivalent to an ASCII one. A password is padded with zeros up to
 * `bytes`, or to the end of its last block. Bytes past `bytes` can be anything.
 */
function hasEightBitForm(password: Buffer, bytes: number): boolean {
  const end = Number.isFinite(bytes) ? bytes : Math.ceil(password.length / DES_BLOCK_BYTES) * DES_BLOCK_BYTES;
  const following = (at: number): readonly number[] => {
    if (at >= end) return Number.isFinite(bytes) ? CONTINUATION : [];
    const byte = (password[at] ?? 0) | 0x80;
    return byte < 0xc0 ? [byte] : [];
  };
  return !isAscii(password) || password.some((byte, at) => beginsCharacter(byte | 0x80, at, following));
}

const CONTINUATION = Array.from({ length: 64 }, (_, bits) => 0x80 | bits);

/**
 * Returns whether a character that people type may begin with this byte. `following` returns the bytes that may follow
 * at a position.
 */
function beginsCharacter(first: number, at: number, following: (at: number) => readonly number[]): boolean {
  if (first < 0xc2 || first > 0xf4) return false;
  const length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  let characters = [[first]];
  for (let index = 1; index < length; index += 1) {
    characters = characters.flatMap((bytes) => following(at + index).map((byte) => [...bytes, byte]));
  }
  return characters.some((bytes) => isTyped(Buffer.from(bytes)));
}

/**
 * FreeBSD and libxcrypt digest each byte followed by a zero, which is UTF-16 only if the password is ASCII.
 */
export const WIDENED: PasswordReading = {
  of: (password) => Buffer.from(password.toString('latin1'), 'utf16le'),
  isOnly: () => true,
};

/**
 * Second form of a password for hashes of passlib, which hashes it in UTF-16. The form is in Latin-1, because the
 * reading widens each byte to two, which turns Latin-1 into UTF-16.
 */
export const AS_LATIN1: SecondReading = {
  mayDiffer: (password) => !isAscii(password),
  of(password) {
    const text = isAscii(password) ? undefined : textOf(password);
    return text === undefined || /[^\0-\xff]/.test(text) ? undefined : Buffer.from(text, 'latin1');
  },
  mayBeOfAnother: (password) => !isAscii(password),
};
