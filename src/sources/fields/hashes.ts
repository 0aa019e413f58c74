import type { JsonObject } from '../../lib/json/json-object.ts';
import type { SourcePassword } from '../source-user.ts';
import { objectOf, textOf } from './values.ts';

/** Salt or digest of a hash. Base64 is not checked here, because the service parses the whole hash. */
export type BytesOrBase64 = Uint8Array | string;

function phc(bytes: BytesOrBase64): string {
  const text = typeof bytes === 'string' ? bytes : Buffer.from(bytes).toString('base64');
  const padding = text.indexOf('=');
  // An equals sign in the middle of base64 is an error. It is kept, so that the service reports the hash.
  return padding !== -1 && padding >= text.length - 2 ? text.slice(0, padding) : text;
}

/** `$pbkdf2-sha256$i=27500,l=64$<salt>$<hash>`, without the length `l` if the hash is given as base64. */
export function pbkdf2Hash(pieces: {
  digest: DigestName;
  iterations: number;
  salt: BytesOrBase64;
  hash: BytesOrBase64;
}): SourcePassword {
  const { digest, iterations, salt, hash } = pieces;
  const length = typeof hash === 'string' ? '' : `,l=${hash.length}`;
  return {
    encoded: `$pbkdf2-${digest}$i=${iterations}${length}$${phc(salt)}$${phc(hash)}`,
    algorithm: 'pbkdf2',
  };
}

/** `$scrypt$ln=14,r=8,p=1$<salt>$<hash>`. A problem if the cost N is not a power of two. */
export function scryptHash(pieces: {
  cost: number;
  blockSize: number;
  parallelization: number;
  salt: Uint8Array;
  hash: Uint8Array;
}): SourcePassword {
  const { cost, blockSize, parallelization, salt, hash } = pieces;
  const log = Math.log2(cost);
  if (!Number.isInteger(log) || log < 1) return invalidHash('the cost N of scrypt is not a power of two');
  return {
    encoded: `$scrypt$ln=${log},r=${blockSize},p=${parallelization}$${phc(salt)}$${phc(hash)}`,
    algorithm: 'scrypt',
  };
}

export function argon2Hash(pieces: {
  variant: 'argon2d' | 'argon2i' | 'argon2id';
  version?: number;
  memoryKiB: number;
  passes: number;
  lanes: number;
  salt: BytesOrBase64;
  hash: BytesOrBase64;
}): SourcePassword {
  const { variant, version = 0x13, memoryKiB, passes, lanes, salt, hash } = pieces;
  return {
    encoded: `$${variant}$v=${version}$m=${memoryKiB},t=${passes},p=${lanes}$${phc(salt)}$${phc(hash)}`,
    algorithm: 'argon2',
  };
}

/** Builds a bcrypt hash from a salt (22 characters) and a digest (31) that are stored separately. */
export function bcryptHash(pieces: { cost: string; salt: string; digest: string }): SourcePassword {
  const { cost, salt, digest } = pieces;
  return { encoded: `$2a$${cost.padStart(2, '0')}$${salt}${digest}`, algorithm: 'bcrypt' };
}

export type DigestName = 'md5' | 'sha1' | 'sha224' | 'sha256' | 'sha384' | 'sha512';

/** Builds `$salted-sha256$o=sp$<salt>$<hash>`. An empty salt means a plain digest of the password. */
export function saltedDigest(pieces: {
  digest: DigestName;
  /** Order of the digested bytes. `sp`: salt, password. `ps`: password, salt. */
  order: 'sp' | 'ps';
  salt: Uint8Array;
  hash: Uint8Array;
  /** The system digests the password as UTF-16 rather than UTF-8. */
  isUtf16?: boolean;
}): SourcePassword {
  const { digest, order, salt, hash, isUtf16 = false } = pieces;
  const params = `o=${order}${isUtf16 ? ',e=utf16le' : ''}`;
  return {
    encoded: `$salted-${digest}$${params}$${phc(salt)}$${phc(hash)}`,
    algorithm: `salted-${digest}`,
  };
}

/** Builds `$hmac-sha1$k=salt$<key>$<hash>`: an HMAC of the password with a key that is part of the hash. */
export function hmacHash(pieces: {
  digest: DigestName;
  key: Uint8Array;
  hash: Uint8Array;
  isUtf16?: boolean;
}): SourcePassword {
  const { digest, key, hash, isUtf16 = false } = pieces;
  const params = `k=salt${isUtf16 ? ',e=utf16le' : ''}`;
  return { encoded: `$hmac-${digest}$${params}$${phc(key)}$${phc(hash)}`, algorithm: `hmac-${digest}` };
}

/** Algorithm of Firebase's hashes, which are made with the signer key of a project. */
export const SIGNER_KEY_ALGORITHM = 'external_scrypt';

/** Firebase's scrypt: `$f_scrypt$<hash>$<salt>$m=14$r=8$s=Bw==`. All parts are standard base64. */
export function firebaseHash(pieces: {
  hash: string;
  salt: string;
  memCost: string;
  rounds: string;
  saltSeparator: string;
  /** Firebase's signer key in base64, if the export contains it. */
  signerKey?: string | undefined;
}): SourcePassword {
  const { hash, salt, memCost, rounds, saltSeparator, signerKey } = pieces;
  const password = {
    encoded: `$f_scrypt$${hash}$${salt}$m=${memCost}$r=${rounds}$s=${saltSeparator}`,
    algorithm: SIGNER_KEY_ALGORITHM,
  };
  // The signer key is not an enumerable member, so that JSON of the user never contains the key.
  return signerKey ? Object.defineProperty(password, 'signerKey', { value: signerKey }) : password;
}

/** The user has a password, and it cannot be read. `readingHash` makes it a problem of the row. */
class HashUnreadable extends Error {}

export const isGiven = (value: unknown): boolean => value !== undefined && value !== null && value !== '';

const given = <Read>(value: unknown, read: Read | undefined): Read | undefined => {
  if (read === undefined && isGiven(value)) throw new HashUnreadable();
  return read;
};

/** Text of a password, of its hash, or of a part of one. Only a cell without a value means that there is none. */
export const hashText = (value: unknown): string | undefined => given(value, textOf(value));

/** Object, perhaps in JSON text, with a password or its hash. Only a cell without a value means that there is none. */
export const hashObject = (value: unknown): JsonObject | undefined => given(value, objectOf(value));

/** Calls a reader of passwords. All systems pass here. */
export function readingHash(read: () => SourcePassword | undefined): SourcePassword | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof HashUnreadable) return invalidHash('the password is there, but cannot be read');
    throw error;
  }
}

export const invalidHash = (message: string): SourcePassword => ({
  problem: 'PASSWORD_HASH_INVALID',
  message,
});

export const unknownAlgorithm = (message: string): SourcePassword => ({
  problem: 'HASH_ALGORITHM_UNKNOWN',
  message,
});

export const unsupportedAlgorithm = (message: string): SourcePassword => ({
  problem: 'HASH_ALGORITHM_UNSUPPORTED',
  message,
});

/** Builds `$mybb$$<salt>$<hash>`, with parameters `$devise-sha1$i=10$<salt>$<hash>`, of a digest and a salt in columns. */
export function digestHash(pieces: {
  algorithm: string;
  parameters?: string;
  /** Text of the salt. */
  salt: unknown;
  /** Digest of the password in hexadecimal digits. Without one, there is no password. */
  hash: unknown;
}): SourcePassword | undefined {
  const { algorithm, parameters = '' } = pieces;
  const [salt = '', hash] = [hashText(pieces.salt), hashText(pieces.hash)];
  if (hash === undefined) return undefined;
  if (!/^(?:[0-9a-f]{2})+$/i.test(hash)) return invalidHash('the digest is not in hexadecimal digits');
  return {
    encoded: `$${algorithm}$${parameters}$${base64(salt, 'utf8')}$${base64(hash, 'hex')}`,
    algorithm,
  };
}

/** Parameter of a digest that includes the name of the user: `$htdigest$u=<user>$<salt>$<hash>`. */
export const ofUser = (name: string) => `u=${base64(name, 'utf8')}`;

const base64 = (text: string, encoding: 'utf8' | 'hex') => Buffer.from(text, encoding).toString('base64');
const BCRYPT = /^\$2[abxy]?\$/;

/** A hash of a system that stores plain bcrypt. The service identifies a hash without its prefix. */
export function selfDescribingHash(value: unknown): SourcePassword | undefined {
  const encoded = hashText(value);
  if (encoded === undefined) return undefined;
  return BCRYPT.test(encoded) ? { encoded, algorithm: 'bcrypt' } : { encoded };
}

const FBSCRYPT =
  /^\$fbscrypt\$v=\d+,n=(\d+),r=(\d+),p=1(?:,ss=([^,$]*))?(?:,sk=([^,$]*))?\$([^$]+)\$([^$]+)$/;

/** Reads Firebase's scrypt as written by GoTrue (internal/crypto/password.go) and other systems. */
export function fbscryptHash(encoded: string): SourcePassword {
  const [, memCost, rounds, saltSeparator = '', signerKey, salt, hash] = FBSCRYPT.exec(encoded) ?? [];
  if (memCost === undefined || rounds === undefined || salt === undefined || hash === undefined) {
    return invalidHash('$fbscrypt$ is not followed by v=, n=, r=, p=1, ss=, sk=, salt and hash');
  }
  return firebaseHash({ hash, salt, memCost, rounds, saltSeparator, signerKey });
}

export const TAKE_SIGNER_KEY =
  'Some hashes come from Firebase. Configure their signer key, which follows sk= in each of them, in the service: external_password_hashing_signer_key or an entry of hashing_secrets.';

/** Option of sources that may have hashes of Firebase's scrypt. */
export const SIGNER_KEY = {
  signerKey:
    'base64_signer_key of the Firebase project, to see whether the hashes can be of it; it is not sent',
};

export const PLAIN_TEXT_PASSWORDS = {
  plainTextPasswords: 'yes: values in the column of hashes that are not hashes are plain-text passwords',
};
