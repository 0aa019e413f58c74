import { pbkdf2 } from 'node:crypto';
import { promisify } from 'node:util';

const pbkdf2Async = promisify(pbkdf2);

/** Lengths of the digests in bytes, by their names in node:crypto. */
export const PBKDF2_DIGESTS = {
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

export type Pbkdf2Digest = keyof typeof PBKDF2_DIGESTS;

export interface Pbkdf2Input {
  password: Buffer;
  salt: Buffer;
  iterations: number;
  digest: Pbkdf2Digest;
}

/**
 * Returns only the first block if it differs from `expected`. Each block costs as much as the first, and a
 * key of 512 bytes with SHA-256 has sixteen.
 */
export async function pbkdf2AsFarAsNeeded(input: Pbkdf2Input, expected: Buffer): Promise<Buffer> {
  const blockBytes = Math.min(PBKDF2_DIGESTS[input.digest], expected.length);
  const first = await pbkdf2Key(input, blockBytes);
  if (blockBytes === expected.length || !first.equals(expected.subarray(0, blockBytes))) return first;
  return pbkdf2Key(input, expected.length);
}

export function pbkdf2Key(
  { password, salt, iterations, digest }: Pbkdf2Input,
  bytes: number,
): Promise<Buffer> {
  return pbkdf2Async(password, salt, iterations, bytes, digest);
}
