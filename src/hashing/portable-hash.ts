import type { DigestName } from './kdf/digests.ts';
import type { Pbkdf2Digest } from './kdf/pbkdf2.ts';

/**
 * A hash in the terms of a public algorithm, which digests the password's bytes in UTF-8. Only Firebase's
 * scrypt needs a secret, its signer key, which the hash never contains.
 */
export type PortableHash =
  | { kind: 'bcrypt'; variant: string; cost: number; encoded: string }
  | {
      kind: 'argon2';
      type: 'd' | 'i' | 'id';
      version: 16 | 19;
      memoryKb: number;
      iterations: number;
      parallelism: number;
      salt: Buffer;
      hash: Buffer;
    }
  | { kind: 'pbkdf2'; digest: Pbkdf2Digest; iterations: number; salt: Buffer; hash: Buffer }
  | { kind: 'scrypt'; log2N: number; r: number; p: number; salt: Buffer; hash: Buffer }
  | {
      kind: 'firebase-scrypt';
      memCost: number;
      rounds: number;
      salt: Buffer;
      separator: Buffer;
      hash: Buffer;
    }
  | { kind: 'digest'; digest: DigestName; salt: Buffer; isSaltFirst: boolean; hash: Buffer }
  | { kind: 'hmac'; digest: DigestName; key: Buffer; hash: Buffer }
  /** Hash of crypt(3). `rest` is the hash after its prefix, such as `$5$`. */
  | { kind: 'crypt'; prefix: '$1$' | '$5$' | '$6$'; rest: string }
  | { kind: 'phpass'; encoded: string };
