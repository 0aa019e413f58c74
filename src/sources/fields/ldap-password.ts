import type { SourcePassword } from '../source-user.ts';
import { invalidHash, unknownAlgorithm } from './hashes.ts';
import { looksLikeHash } from './looks-like-hash.ts';

/**
 * Schemes of LDAP's `userPassword` by the service's name of the algorithm. Nameless: the format of the hash must show the
 * algorithm, because 389 DS, OpenLDAP and ForgeRock use the scheme for different formats.
 */
const SCHEMES = new Map(
  [
    ['ldap-sha', 'SHA'],
    ['ldap-ssha', 'SSHA'],
    ['ldap-md5', 'MD5'],
    ['ldap-smd5', 'SMD5'],
    ['ldap-sha2', 'SHA256 SSHA256 SHA384 SSHA384 SHA512 SSHA512'],
    ['ldap-crypt', 'CRYPT'],
    ['argon2', 'ARGON2'],
    ['bcrypt', 'BCRYPT'],
    ['gost-yescrypt', 'GOST-YESCRYPT'],
    [undefined, 'PBKDF2 PBKDF2-SHA1 PBKDF2-SHA256 PBKDF2-SHA512 PBKDF2_SHA256 PBKDF2-HMAC-SHA256'],
    [undefined, 'PBKDF2-HMAC-SHA512 PKCS5S2 SCRAM-SHA-1 SCRAM-SHA-256'],
    [undefined, 'BLF-CRYPT SHA256-CRYPT SHA512-CRYPT MD5-CRYPT ARGON2ID ARGON2I'],
  ].flatMap(([algorithm, names = '']) => names.split(' ').map((name) => [name, algorithm] as const)),
);
/** Schemes that are no part of the hash after them. */
const BARE = new Set(['ARGON2', 'BCRYPT', 'GOST-YESCRYPT']);
const IN_CLEAR = new Set(['CLEAR', 'CLEARTEXT']);
const SCHEME = /^\{([^{}]{1,40})\}/;
/** Text before a scheme: tools lock an account by `!` or `*`, and others by words of their own. */
const MARKED = /^([^{}]+)(\{([^{}]{1,40})\}.*)$/s;
/** What follows the name of a scheme that is not known, if it is a hash and no password. */
const DIGEST = /\}[\w+/=.$-]{16,}$/;
/** Values of LDAP's `userPassword` that mean that the user has no hash. */
const NONE = new Set(['', ...'* x X ! !! *K* NP *NP* LK *LK* NOLOGIN *NOLOGIN* LOCKED *LOCKED*'.split(' ')]);
/** A digest or a scheme that lacks its beginning: base64 of 20 bytes or more, `SSHA}…`. */
const REST_OF_HASH = /^(?:(?=.*\d)(?=.*[A-Z])[A-Za-z\d+/]{27,}={0,2}|[A-Z][A-Z\d-]{1,40}\}.*)$/s;

export interface LdapPassword {
  password?: SourcePassword | undefined;
  /** A `!` precedes the hash, by which tools lock accounts. */
  isLocked: boolean;
  /** Number of further values of `userPassword`, which are not imported. */
  further: number;
}

/** Returns the first supported value of LDAP's `userPassword`, else the problem of the first one. */
export function ldapPassword(values: readonly string[]): LdapPassword {
  let refused: SourcePassword | undefined;
  let isLocked = false;
  for (const value of values) {
    const one = passwordOf(value);
    if (one === undefined) continue;
    isLocked ||= one.isLocked;
    if (!('problem' in one.password)) return { ...one, isLocked, further: values.length - 1 };
    refused ??= one.password;
  }
  return { password: refused, isLocked, further: Math.max(0, values.length - 1) };
}

function passwordOf(value: string): { password: SourcePassword; isLocked: boolean } | undefined {
  const [before, name] = SCHEME.exec(value) ?? [];
  if (before === undefined || name === undefined) return markedPassword(value);
  const rest = value.slice(before.length);
  const hash = rest.startsWith('!') ? rest.replace(/^!+/, '') : rest;
  if (NONE.has(rest) || NONE.has(hash)) return undefined;
  const isLocked = hash !== rest;
  const scheme = name.toUpperCase();
  if (IN_CLEAR.has(scheme)) return { password: { plainText: rest }, isLocked: false };
  if (!SCHEMES.has(scheme)) return { password: unknown(scheme), isLocked };
  const encoded = BARE.has(scheme) ? hash : before + hash;
  return { password: { encoded, algorithm: SCHEMES.get(scheme) }, isLocked };
}

/** A hash with a mark before it would be a password to whoever has read it, if it were taken for plain text. */
function markedPassword(value: string): { password: SourcePassword; isLocked: boolean } | undefined {
  if (NONE.has(value.toUpperCase())) return undefined;
  const isInvalid = (message: string) => ({ password: invalidHash(message), isLocked: false });
  if (looksLikeHash(value) || REST_OF_HASH.test(value))
    return isInvalid('userPassword may be a hash, and does not say of which scheme');
  const [, mark = '', marked = '', name = ''] = MARKED.exec(value) ?? [];
  if (!SCHEMES.has(name.toUpperCase()) && !DIGEST.test(marked))
    return { password: { plainText: value }, isLocked: false };
  if (!/^[!*]+$/.test(mark))
    return isInvalid('userPassword has characters before the scheme, which is no hash');
  const locked = passwordOf(marked);
  return locked && { ...locked, isLocked: true };
}

/** The message does not name an unknown scheme, because text in braces may be the beginning of a password. */
const unknown = (scheme: string): SourcePassword =>
  scheme === 'SASL' || scheme === 'KERBEROS'
    ? unknownAlgorithm(`{${scheme}} leaves the password to another system: there is no hash`)
    : unknownAlgorithm('the scheme before the value of userPassword is not known');
