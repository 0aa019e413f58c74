import { createHash, createHmac } from 'node:crypto';

export const DIGEST_BYTES = { md5: 16, sha1: 20, sha224: 28, sha256: 32, sha384: 48, sha512: 64 } as const;

export type DigestName = keyof typeof DIGEST_BYTES;

/** Input of a hash function. Strings are digested in UTF-8. */
export type DigestPart = Uint8Array | string;

export type DigestFunction = (...parts: readonly DigestPart[]) => Buffer;

export function digestFunction(name: DigestName): DigestFunction {
  return (...parts) => {
    const hash = createHash(name);
    for (const part of parts) hash.update(part);
    return hash.digest();
  };
}

export const md5 = digestFunction('md5');
export const sha1 = digestFunction('sha1');
export const sha256 = digestFunction('sha256');
export const sha512 = digestFunction('sha512');

export const hmac = (name: DigestName, key: Buffer, message: DigestPart): Buffer =>
  createHmac(name, key).update(message).digest();

export const hex = (bytes: Buffer): string => bytes.toString('hex');
