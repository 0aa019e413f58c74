import bcrypt from 'bcrypt';
import type { MistakeCode } from '../../src/hashing/mistakes.ts';
import { HashRefused } from '../../src/hashing/refused.ts';
import { tryParse } from '../../src/hashing/verifier.ts';
import { DEFAULT_LIMITS, passwordOf, vector, verifierOf } from '../support/vectors.ts';

/** A hash with a mistake in it or in its password. */
export interface Mistaken {
  mistake: MistakeCode;
  what: string;
  algorithm: string;
  hash: string;
  password: string;
  /** Signer key of the service, in base64. */
  signerKey: string | undefined;
  /** Whether an import refuses the hash as it is. */
  refused: boolean;
}

const BCRYPT_DIGITS = './ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const STANDARD_DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const standard = (text: string) =>
  [...text].map((digit) => STANDARD_DIGITS.charAt(BCRYPT_DIGITS.indexOf(digit))).join('');
const hex = (base64: string) => Buffer.from(base64.replaceAll('.', '+'), 'base64').toString('hex');
const urlSafe = (text: string) => text.replaceAll(/[+.]/g, '-').replaceAll('/', '_');
const cut = (base64: string, length: number) =>
  Buffer.from(base64, 'base64').subarray(0, length).toString('base64');
const padded = (text: string) => text.padEnd(Math.ceil(text.length / 4) * 4, '=');
const same = (text: string) => text;
function argon2With(hash: string, salt: (text: string) => string, digest = salt): string {
  const parts = hash.split('$');
  return [...parts.slice(0, -2), salt(parts.at(-2) ?? ''), digest(parts.at(-1) ?? '')].join('$');
}
/** Returns an external scrypt hash with its parts (`m`, `r`, then `s`) combined in another way. */
function scryptWith(
  hash: string,
  change: (digest: string, salt: string, separator: string) => string[],
): string {
  const [, , digest = '', salt = '', m = '', r = '', s = ''] = hash.split('$');
  const [newDigest = digest, newSalt = salt, newSeparator = s.slice(2)] = change(digest, salt, s.slice(2));
  return ['', 'f_scrypt', newDigest, newSalt, m, r, `s=${newSeparator}`].join('$');
}

/** Returns the vector with a changed hash, and with `password` and `signerKey` as given. */
function mistaken(
  mistake: MistakeCode,
  what: string,
  [algorithm, id]: [string, string],
  change: (hash: string) => string,
  { password, signerKey }: { password?: string; signerKey?: string } = {},
): Mistaken {
  const sample = vector(algorithm, id);
  return withRefusal({
    ...{ mistake, what, algorithm, hash: change(sample.hash) },
    password: password ?? passwordOf(sample).toString('utf8'),
    signerKey: signerKey ?? sample.params?.signerKey,
  });
}

function withRefusal(mistaken: Omit<Mistaken, 'refused'>): Mistaken {
  const { algorithm, hash, signerKey } = mistaken;
  const key = signerKey === undefined ? undefined : Buffer.from(signerKey, 'base64');
  const refused = tryParse(verifierOf(algorithm, DEFAULT_LIMITS, key), hash) instanceof HashRefused;
  return { ...mistaken, refused };
}

const BCRYPT: [string, string] = ['bcrypt', 'bcrypt-lx-2y-028'];
/** A hash that has a `+` in standard base64, which bcrypt's alphabet lacks. */
const WITH_PLUS: [string, string] = ['bcrypt', 'bcrypt-pl-pad-1-good'];
const ARGON2: [string, string] = ['argon2', 'argon2-dj-3'];
const SCRYPT: [string, string] = ['external_scrypt', 'own-umlaut'];
const PBKDF2: [string, string] = ['pbkdf2', 'lt-pbkdf2-08'];
/** A hash with a salt of hexadecimal digits, which is text. */
const PASSPORT: [string, string] = ['pbkdf2', 'lt-pbkdf2-14'];
const DJANGO: [string, string] = ['django-pbkdf2', 'django-pbkdf2-pl-django_pbkdf2_sha256-01'];
const PASSLIB: [string, string] = ['pbkdf2-passlib', 'rc-pbkdf2-2'];
/** Returns a hash with its last two sections in another encoding. */
const withEnds = (hash: string, write: (text: string) => string) =>
  hash.replace(/([^$]*)\$([^$]*)$/, (_all, salt, digest) => `${write(salt)}$${write(digest)}`);
const text = (base64: string) => Buffer.from(base64, 'base64').toString('utf8');
/** Returns a canonical hash with another salt: the base64 of what `change` returns. */
const withSalt = (hash: string, change: (salt: string) => string | Buffer) =>
  hash.replace(/[^$]*(?=\$[^$]*$)/, (salt) => Buffer.from(change(salt)).toString('base64'));
const KEY = Buffer.from(vector(...SCRYPT).params?.signerKey ?? '', 'base64');
const NEW_KEY = Buffer.concat([KEY, Buffer.alloc(16, 1)]).toString('base64');

/** Each mistake, made in hashes of the public vectors. */
export const MISTAKEN: readonly Mistaken[] = [
  mistaken(
    'URL_SAFE_OR_UNPADDED_BASE64',
    'bcrypt in standard base64',
    WITH_PLUS,
    (hash) => hash.slice(0, 7) + standard(hash.slice(7)),
  ),
  mistaken(
    'URL_SAFE_OR_UNPADDED_BASE64',
    'bcrypt in standard base64 that looks like its own',
    BCRYPT,
    (hash) => hash.slice(0, 7) + standard(hash.slice(7)),
  ),
  mistaken(
    'URL_SAFE_OR_UNPADDED_BASE64',
    'bcrypt in padded URL-safe base64, with a $ between salt and digest',
    BCRYPT,
    (hash) =>
      `${hash.slice(0, 7)}${urlSafe(standard(hash.slice(7, 29)))}==$${urlSafe(standard(hash.slice(29)))}=`,
  ),
  mistaken(
    'HEX_INSTEAD_OF_BASE64',
    'bcrypt',
    BCRYPT,
    (hash) => hash.slice(0, 7) + hex(standard(hash.slice(7, 29))) + hex(standard(hash.slice(29))),
  ),
  mistaken('BCRYPT_2X_MISLABELLED', 'called $2y$', ['bcrypt', 'bcrypt-lx-2x-084'], (hash) =>
    hash.replace('$2x$', '$2y$'),
  ),
  mistaken('BCRYPT_2X_MISLABELLED', 'called $2x$', BCRYPT, (hash) => hash.replace('$2y$', '$2x$')),
  mistaken('HASH_WRAPPED', 'in a scheme of its own', BCRYPT, (hash) => `{no-such}${hash}`),
  mistaken('HASH_WRAPPED', 'with a name before it', BCRYPT, (hash) => `password=${hash}`),
  mistaken('HASH_WRAPPED', 'with its algorithm before it', ARGON2, (hash) => `argon2: ${hash}`),
  mistaken('HASH_WRAPPED', 'in quotes', SCRYPT, (hash) => `"${hash}"`),
  mistaken('HASH_WRAPPED', 'escaped for a shell', ARGON2, (hash) => hash.replaceAll('$', '\\$')),
  mistaken('URL_SAFE_OR_UNPADDED_BASE64', 'argon2, padded', ARGON2, (hash) => argon2With(hash, padded)),
  mistaken('URL_SAFE_OR_UNPADDED_BASE64', 'argon2, URL-safe', ARGON2, urlSafe),
  mistaken('HEX_INSTEAD_OF_BASE64', 'argon2', ARGON2, (hash) => argon2With(hash, hex)),
  mistaken('HEX_INSTEAD_OF_BASE64', 'argon2, salt only', ARGON2, (hash) => argon2With(hash, hex, same)),
  mistaken('MEM_COST_AND_ROUNDS_SWAPPED', 'argon2', ['argon2', 'argon2-pw-id'], (hash) =>
    hash.replace('m=4096,t=3', 'm=3,t=4096'),
  ),
  mistaken('ARGON2_VERSION_MISSING', 'argon2', ARGON2, (hash) => hash.replace('v=19$', '')),
  mistaken('SALT_AND_SEPARATOR_SWAPPED', 'external scrypt', SCRYPT, (hash) =>
    scryptWith(hash, (digest, salt, separator) => [digest, separator, salt]),
  ),
  mistaken('MEM_COST_AND_ROUNDS_SWAPPED', 'external scrypt', SCRYPT, (hash) =>
    hash.replace('m=14$r=8', 'm=8$r=14'),
  ),
  mistaken('HASH_AND_SALT_SWAPPED', 'external scrypt', SCRYPT, (hash) =>
    scryptWith(hash, (digest, salt) => [salt, digest]),
  ),
  mistaken('HEX_INSTEAD_OF_BASE64', 'external scrypt', SCRYPT, (hash) =>
    scryptWith(hash, (...parts) => parts.map(hex)),
  ),
  mistaken('HEX_INSTEAD_OF_BASE64', 'external scrypt, salt only', SCRYPT, (hash) =>
    scryptWith(hash, (digest, salt) => [digest, hex(salt)]),
  ),
  mistaken('SIGNER_KEY_LENGTH', 'the hash is cut off', SCRYPT, (hash) =>
    scryptWith(hash, (digest) => [cut(digest, 16)]),
  ),
  mistaken('SIGNER_KEY_LENGTH', 'the key is cut off', SCRYPT, same, {
    signerKey: KEY.subarray(0, 32).toString('base64'),
  }),
  mistaken('SIGNER_KEY_LENGTH', 'something is behind the key', SCRYPT, same, {
    signerKey: NEW_KEY,
  }),
  mistaken('PASSWORD_IN_LATIN1', 'argon2', ['argon2', 'argon2-cffi-latin1'], same, { password: 'pässword' }),
  mistaken('PASSWORD_IN_LATIN1', 'argon2, sent decomposed', ['argon2', 'argon2-cffi-latin1'], same, {
    password: 'pässword'.normalize('NFD'),
  }),
  mistaken('PASSWORD_IN_LATIN1', 'bcrypt', ['bcrypt', 'bcrypt-lx-2y-024'], same, { password: 'áìåøáîäåò' }),
  mistaken('PASSWORD_NORMALIZED', 'external scrypt, sent decomposed', SCRYPT, same, {
    password: 'pässword'.normalize('NFD'),
  }),
  mistaken('PASSWORD_WHITESPACE', 'bcrypt, sent with blanks', BCRYPT, same, { password: ' Chlöe ' }),
  mistaken('PASSWORD_LOWER_CASED', 'argon2', ARGON2, same, { password: 'Secret' }),
  withRefusal({
    mistake: 'PASSWORD_HTML_ESCAPED',
    what: 'bcrypt',
    algorithm: 'bcrypt',
    hash: bcrypt.hashSync('&lt;b&gt;&amp;&quot;&#039;', 4),
    password: '<b>&"\'',
    signerKey: undefined,
  }),
  withRefusal({
    mistake: 'PASSWORD_SLASHED',
    what: 'sha256-crypt',
    algorithm: 'sha256-crypt',
    // crypt(addslashes("it's"), …) of PHP 8.2.
    hash: '$5$rounds=1000$saltsalt$siRiqVfC/y1DDqxHsN0eLo.92efUblaKs/udHdSSxZ1',
    password: "it's",
    signerKey: undefined,
  }),
  mistaken('SALT_AS_TEXT', 'PBKDF2, hexadecimal', PBKDF2, (hash) => withSalt(hash, (salt) => hex(salt))),
  mistaken('SALT_AS_TEXT', 'PBKDF2, base64', PBKDF2, (hash) => withSalt(hash, same)),
  mistaken('SALT_DECODED', 'PBKDF2', PASSPORT, (hash) =>
    withSalt(hash, (salt) => Buffer.from(text(salt), 'hex')),
  ),
  mistaken('WRONG_DIGEST', 'PBKDF2', PBKDF2, (hash) => hash.replace('sha256', 'sha512')),
  mistaken('ITERATIONS_OF_A_VERSION', 'PBKDF2', PBKDF2, (hash) => hash.replace('i=27500', 'i=25000')),
  mistaken('ITERATIONS_OF_A_VERSION', 'Django', DJANGO, (hash) => hash.replace('$10000$', '$12000$')),
  mistaken('HEX_INSTEAD_OF_BASE64', 'PBKDF2, hash only', PBKDF2, (hash) =>
    hash.replace(/[^$]+$/, (digest) => hex(digest)),
  ),
  mistaken('HEX_INSTEAD_OF_BASE64', 'Django', DJANGO, (hash) =>
    hash.replace(/[^$]+$/, (digest) => hex(digest)),
  ),
  mistaken('URL_SAFE_OR_UNPADDED_BASE64', 'Django', DJANGO, (hash) => hash.replace(/=$/, '')),
  mistaken('HEX_INSTEAD_OF_BASE64', 'PBKDF2, salt and hash', ['pbkdf2', 'lt-pbkdf2-01'], (hash) =>
    withEnds(hash, hex),
  ),
  mistaken('HASH_AND_SALT_SWAPPED', 'PBKDF2', ['pbkdf2', 'own-spring-secret'], (hash) =>
    hash.replace(/([^$]*)\$([^$]*)$/, '$2$$$1'),
  ),
  mistaken('HEX_INSTEAD_OF_BASE64', 'passlib', PASSLIB, (hash) => withEnds(hash, hex)),
  mistaken('URL_SAFE_OR_UNPADDED_BASE64', 'passlib, URL-safe', PASSLIB, (hash) => withEnds(hash, urlSafe)),
  mistaken('URL_SAFE_OR_UNPADDED_BASE64', 'Mattermost', ['mattermost-pbkdf2', 'own-mattermost-72'], (hash) =>
    withEnds(hash, padded),
  ),
  mistaken('URL_SAFE_OR_UNPADDED_BASE64', 'ASP.NET', ['aspnet-identity', 'asp-7'], (hash) =>
    urlSafe(hash).replace(/=+$/, ''),
  ),
];

export function mistakenHash(what: string): Mistaken {
  const found = MISTAKEN.find((one) => one.what === what);
  if (found === undefined) throw new Error(`no example: ${what}`);
  return found;
}
