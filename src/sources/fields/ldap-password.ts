import type { SourcePassword } from '../source-user.ts';
import { invalidHash, unknownAlgorithm } from './hashes.ts';
import { looksLikeHash } from './looks-like-hash.ts';

/**
 * Service's name of the algorithm for each scheme of LDAP's `userPassword`. Undefined if the format of the hash must
 * show the algorithm, because 389 DS, OpenLDAP and ForgeRock use the scheme for different formats.
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
/** Schemes that are removed, because the service expects the hash without them. */
const BARE = new Set(['ARGON2', 'BCRYPT', 'GOST-YESCRYPT']);
const IN_CLEAR = new Set(['CLEAR', 'CLEARTEXT']);
const SCHEME = /^\{([^{}]{1,40})\}/;
/** Value with text before its scheme. Tools lock an account by a `!` or `*` there, or by a word of their own. */
const MARKED = /^([^{}]+)(\{([^{}]{1,40})\}.*)$/s;
/** Text after an unknown scheme that looks like a hash, and not like a password with braces. */
const DIGEST = /\}[\w+/=.$-]{16,}$/;
/** Values of LDAP's `userPassword` that mean that the user has no hash. */
const NONE = new Set(['', ...'* x X ! !! *K* NP *NP* LK *LK* NOLOGIN *NOLOGIN* LOCKED *LOCKED*'.split(' ')]);
/** A digest without its scheme (base64 of 20 bytes or more), or a scheme without its first brace (`SSHA}…`). */
const REST_OF_HASH = /^(?:(?=.*\d)(?=.*[A-Z])[A-Za-z\d+/]{27,}={0,2}|[A-Z][A-Z\d-]{1,40}\}.*)$/s;

export interface LdapPassword {
  password?: SourcePassword | undefined;
  /** The hash has a mark before it (`!`, `*`), with which tools lock the account. */
  isLocked: boolean;
  /** Number of further values of `userPassword`, which are not imported. */
  further: number;
}

/** Returns the first supported value of LDAP's `userPassword`. If none is supported, returns the first problem. */
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

/**
 * Reads a value that does not begin with a scheme. If a hash with a mark before it were imported as a plain-text
 * password, whoever has seen the hash could sign in with it.
 */
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

/** Returns the problem of a scheme. The message does not name it, because text in braces may begin a password. */
const unknown = (scheme: string): SourcePassword =>
  scheme === 'SASL' || scheme === 'KERBEROS'
    ? unknownAlgorithm(`{${scheme}} leaves the password to another system: there is no hash`)
    : unknownAlgorithm('the scheme before the value of userPassword is not known');
