import { createHash, createHmac } from 'node:crypto';
import { hmacMd4, md4 } from './md4-and-md5.ts';

/** Lengths of digests in bytes, by the names of the digests in node:crypto. */
export const DIGEST_BYTES = {
  md4: 16,
  md5: 16,
  sha1: 20,
  sha224: 28,
  sha256: 32,
  sha384: 48,
  sha512: 64,
  'sha3-224': 28,
  'sha3-256': 32,
  'sha3-384': 48,
  'sha3-512': 64,
} as const;

export type DigestName = keyof typeof DIGEST_BYTES;
export type Pbkdf2Digest = Exclude<DigestName, 'md4'>;

/** Digests that systems store without a name, because each has another length. */
export const PLAIN_DIGESTS = ['md5', 'sha1', 'sha224', 'sha256', 'sha384', 'sha512'] as const;

export const digestOfSize = (bytes: number) => PLAIN_DIGESTS.find((name) => DIGEST_BYTES[name] === bytes);

/** Input of a hash function. Strings are digested in UTF-8. */
export type DigestPart = Uint8Array | string;

type DigestFunction = (...parts: readonly DigestPart[]) => Buffer;

/**
 * Returns a digest function. MD4 has one of its own, because OpenSSL 3 has MD4 only in a provider that Node.js does not
 * load.
 */
export function digestFunction(name: DigestName): DigestFunction {
  if (name === 'md4') return (...parts) => md4(...parts.map((part) => Buffer.from(part)));
  return (...parts) => {
    const hash = createHash(name);
    for (const part of parts) hash.update(part);
    return hash.digest();
  };
}

export const md5 = digestFunction('md5');
export const sha1 = digestFunction('sha1');
export const sha256 = digestFunction('sha256');
export const sha384 = digestFunction('sha384');
export const sha512 = digestFunction('sha512');

export const hmac = (name: DigestName, key: DigestPart, message: DigestPart): Buffer =>
  name === 'md4'
    ? hmacMd4(Buffer.from(key), Buffer.from(message))
    : createHmac(name, key).update(message).digest();

export const hex = (bytes: Buffer): string => bytes.toString('hex');
export const base64 = (bytes: Buffer): string => bytes.toString('base64');
