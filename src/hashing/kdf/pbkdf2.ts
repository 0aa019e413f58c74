import { pbkdf2 } from 'node:crypto';
import { promisify } from 'node:util';
import { DIGEST_BYTES, type DigestName } from './digests.ts';

const pbkdf2Async = promisify(pbkdf2);

export type Pbkdf2Digest = Exclude<DigestName, 'md4'>;

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
  const blockBytes = Math.min(DIGEST_BYTES[input.digest], expected.length);
  const first = await pbkdf2Key(input, blockBytes);
  if (blockBytes === expected.length || !first.equals(expected.subarray(0, blockBytes))) return first;
  return pbkdf2Key(input, expected.length);
}

export const pbkdf2Key = ({ password, salt, iterations, digest }: Pbkdf2Input, bytes: number) =>
  pbkdf2Async(password, salt, iterations, bytes, digest);
