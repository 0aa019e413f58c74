import type { JsonObject } from '../../lib/json/json-object.ts';
import type { HashProblem, SourcePassword } from '../source-user.ts';
import { objectOf, textOf } from './values.ts';

/**
 * Salt or digest of a hash: bytes, or base64 that the service checks. Undefined if the export has none, or one that
 * cannot be decoded; the row then becomes an error.
 */
export type Part = Uint8Array | string | undefined;

function phc(part: Uint8Array | string): string {
  const text = typeof part === 'string' ? part : Buffer.from(part).toString('base64');
  const padding = text.indexOf('=');
  // An equals sign in the middle of base64 is an error. It is kept, so that the service reports the hash.
  return padding !== -1 && padding >= text.length - 2 ? text.slice(0, padding) : text;
}

/** Builds `$head$<salt>$<hash>`. */
function assembled(algorithm: string, head: string, parts: readonly Part[]): SourcePassword {
  const texts = parts.flatMap((part) => (part === undefined ? [] : phc(part)));
  return texts.length < parts.length
    ? invalidHash('the hash or its salt is missing, or not in its encoding')
    : { encoded: `$${head}$${texts.join('$')}`, algorithm };
}

/** Reads a whole number, such as the rounds of a hash. Returns NaN if the cell has no whole number, or one below 1. */
export function countOf(cell: unknown): number {
  const count = Number(textOf(cell));
  return Number.isSafeInteger(count) && count > 0 ? count : Number.NaN;
}

/** Returns the hash that `make` builds, or a problem if one of the numbers in it is NaN (see `countOf`). */
const withCounts = (counts: readonly number[], make: () => SourcePassword): SourcePassword =>
  counts.some(Number.isNaN) ? invalidHash('the rounds or costs of the hash are no whole numbers') : make();

export const DIGESTS = ['md5', 'sha1', 'sha224', 'sha256', 'sha384', 'sha512'] as const;
export type DigestName = (typeof DIGESTS)[number];
export const isDigest = (name: unknown): name is DigestName => DIGESTS.some((one) => one === name);

/** Salt and digest of a hash. */
interface Digested {
  salt: Part;
  hash: Part;
}

/** Builds `$pbkdf2-sha256$i=27500,l=64$<salt>$<hash>`, without the length `l` if the hash is given as base64. */
export function pbkdf2Hash(pieces: Digested & { digest: DigestName; iterations: unknown }): SourcePassword {
  const { digest, salt, hash } = pieces;
  const iterations = countOf(pieces.iterations);
  const length = typeof hash === 'object' ? `,l=${hash.length}` : '';
  return withCounts([iterations], () =>
    assembled('pbkdf2', `pbkdf2-${digest}$i=${iterations}${length}`, [salt, hash]),
  );
}

/** Builds `$scrypt$ln=14,r=8,p=1$<salt>$<hash>`. Returns a problem if the cost N is not a power of two. */
export function scryptHash(
  pieces: Digested & { cost: unknown; blockSize: unknown; parallelization: unknown },
): SourcePassword {
  const { salt, hash } = pieces;
  const [cost, r, p] = [pieces.cost, pieces.blockSize, pieces.parallelization].map(countOf) as [
    number,
    number,
    number,
  ];
  const log = Math.log2(cost);
  if (!Number.isInteger(log) || log < 1) return invalidHash('the cost N of scrypt is not a power of two');
  return withCounts([r, p], () => assembled('scrypt', `scrypt$ln=${log},r=${r},p=${p}`, [salt, hash]));
}

export function argon2Hash(pieces: {
  variant: 'argon2d' | 'argon2i' | 'argon2id';
  version?: number;
  memoryKiB: unknown;
  passes: unknown;
  lanes: unknown;
  salt: Part;
  hash: Part;
}): SourcePassword {
  const { variant, version = 0x13, salt, hash } = pieces;
  const costs = [pieces.memoryKiB, pieces.passes, pieces.lanes].map(countOf);
  const [m, t, p] = costs;
  return withCounts(costs, () =>
    assembled('argon2', `${variant}$v=${version}$m=${m},t=${t},p=${p}`, [salt, hash]),
  );
}

/** Builds a bcrypt hash from a cost, a salt (22 characters) and a digest (31) that are stored separately. */
export function bcryptHash(pieces: { cost: unknown; salt: unknown; digest: unknown }): SourcePassword {
  const [cost, salt, digest] = [pieces.cost, pieces.salt, pieces.digest].map(textOf);
  return cost === undefined || salt === undefined || digest === undefined
    ? invalidHash('the cost, the salt or the digest of bcrypt is missing')
    : { encoded: `$2a$${cost.padStart(2, '0')}$${salt}${digest}`, algorithm: 'bcrypt' };
}

/** Builds `$salted-sha256$o=sp$<salt>$<hash>`. An empty salt means a plain digest of the password. */
export function saltedDigest(pieces: {
  digest: DigestName;
  /** Order in which the digest reads its input. `sp`: salt, password. `ps`: password, salt. */
  order: 'sp' | 'ps';
  salt: Part;
  hash: Part;
  /** The system digests the password as UTF-16 rather than UTF-8. */
  isUtf16?: boolean;
}): SourcePassword {
  const { digest, order, salt, hash, isUtf16 = false } = pieces;
  const algorithm = `salted-${digest}`;
  return assembled(algorithm, `${algorithm}$o=${order}${isUtf16 ? ',e=utf16le' : ''}`, [salt, hash]);
}

/** Builds `$hmac-sha1$k=salt$<key>$<hash>`: an HMAC of the password with a key that is part of the hash. */
export function hmacHash(pieces: {
  digest: DigestName;
  key: Part;
  hash: Part;
  isUtf16?: boolean;
}): SourcePassword {
  const { digest, key, hash, isUtf16 = false } = pieces;
  const algorithm = `hmac-${digest}`;
  return assembled(algorithm, `${algorithm}$k=salt${isUtf16 ? ',e=utf16le' : ''}`, [key, hash]);
}

/** Algorithm of Firebase's hashes, which are made with the signer key of a project. */
export const SIGNER_KEY_ALGORITHM = 'external_scrypt';

/** Builds Firebase's scrypt: `$f_scrypt$<hash>$<salt>$m=14$r=8$s=Bw==`. All parts are standard base64. */
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

/** Thrown if a user has a password, but it cannot be read. `readingHash` turns it into a problem of the row. */
class HashUnreadable extends Error {}

export const isGiven = (value: unknown): boolean => value !== undefined && value !== null && value !== '';

const given = <Read>(value: unknown, read: Read | undefined): Read | undefined => {
  if (read === undefined && isGiven(value)) throw new HashUnreadable();
  return read;
};

/**
 * Reads the text of a password, of a hash, or of a part of a hash. Returns undefined only for an empty cell.
 * @throws {HashUnreadable} if the cell has a value that is not text
 */
export const hashText = (value: unknown): string | undefined => given(value, textOf(value));

/**
 * Reads an object, perhaps in JSON text, with a password or a hash. Returns undefined only for an empty cell.
 * @throws {HashUnreadable} if the cell has a value that is not an object
 */
export const hashObject = (value: unknown): JsonObject | undefined => given(value, objectOf(value));

/** Calls the password reader of a system, and returns a problem if it throws `HashUnreadable`. */
export function readingHash(read: () => SourcePassword | undefined): SourcePassword | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof HashUnreadable) return invalidHash('the password is there, but cannot be read');
    throw error;
  }
}

const refusedAs =
  (problem: HashProblem) =>
  (message: string): SourcePassword => ({ problem, message });

export const invalidHash = refusedAs('PASSWORD_HASH_INVALID');
export const unknownAlgorithm = refusedAs('HASH_ALGORITHM_UNKNOWN');
export const unsupportedAlgorithm = refusedAs('HASH_ALGORITHM_UNSUPPORTED');

/** Builds a hash from a digest and a salt: `$mybb$$<salt>$<hash>`, or `$devise-sha1$i=10$<salt>$<hash>`. */
export function digestHash(pieces: {
  algorithm: string;
  parameters?: string;
  /** Text of the salt. */
  salt: unknown;
  /** Digest of the password in hexadecimal digits. If the cell is empty, the user has no password. */
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

/** Returns the parameter with the user name, for digests that include it: `$htdigest$u=<user>$<salt>$<hash>`. */
export const ofUser = (name: string) => `u=${base64(name, 'utf8')}`;

const base64 = (text: string, encoding: 'utf8' | 'hex') => Buffer.from(text, encoding).toString('base64');
const BCRYPT = /^\$2[abxy]?\$/;

/** Reads a hash that is stored complete, mostly bcrypt. The service identifies any other hash by its format. */
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

/** Option of sources whose exports may have Firebase's scrypt hashes. */
export const SIGNER_KEY = {
  signerKey:
    'base64_signer_key of the Firebase project, to see whether the hashes can be of it; it is not sent',
};

export const PLAIN_TEXT_PASSWORDS = {
  plainTextPasswords: 'yes: values in the column of hashes that are not hashes are plain-text passwords',
};
